import { PrismaPg } from "@prisma/adapter-pg";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { PrismaClient } from "@/lib/store/generated/client";

export type Db = PrismaClient;

export function connect(url: string, poolSize: number): Db {
  return new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 }) });
}

// Next reloads modules in development; the pool must outlive that, or every edit leaks its connections.
const kept = globalThis as typeof globalThis & { __kimitsuDb?: Db };

/** The one database client of this process. */
export function db(): Db {
  if (kept.__kimitsuDb) return kept.__kimitsuDb;
  if (!env.DATABASE_URL) {
    throw new KimitsuError("unavailable", "DATABASE_URL is not set. `npm start` and `npx kimitsu …` set it for the embedded Postgres.");
  }
  return (kept.__kimitsuDb = connect(env.DATABASE_URL, env.DATABASE_POOL));
}
