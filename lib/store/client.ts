import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { PrismaClient } from "@/lib/store/generated/client";

export type Db = PrismaClient;

/** Statements that Postgres keeps parsed and planned for each connection; our transitions are long, and planning them is most of their time. */
const PREPARED_MAX = 300;

export function connect(url: string, poolSize: number): Db {
  const adapter = new PrismaPg({ connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 }, { statementNameGenerator: createStatementNames() });
  return new PrismaClient({ adapter });
}

/** A name for each statement by its text; past the limit statements have none, so that a text with a varying length cannot fill the server's memory. */
function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= PREPARED_MAX) return "";
    const name = `k${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
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
