import type { EngineDeps } from "@/lib/database/deps";
import { env, rereadEnv } from "@/lib/env";
import { connect, type Db, db } from "@/lib/database/client";
import { isDatabaseAway } from "@/lib/database/database-away";

/** A command needs no more connections than it has statements in progress at once. */
const POOL_SIZE = 4;

interface LentDatabase {
  url: string;
  /** Ends the embedded Postgres if it was started for this command. */
  stop(): Promise<void>;
}

/** Provided by scripts/kimitsu.mjs, which knows the data folder. */
const lender = globalThis as typeof globalThis & { __kimitsuDatabase?: () => Promise<LentDatabase> };
const adopted = globalThis as typeof globalThis & { __kimitsuDb?: Db };

let lent: LentDatabase | undefined;
let deps: EngineDeps | undefined;

/**
 * The database of this machine's configuration: DATABASE_URL, or the embedded one, which is started if it does not run.
 */
export async function openDatabase(): Promise<EngineDeps> {
  if (!env.DATABASE_URL && lender.__kimitsuDatabase) {
    lent = await lender.__kimitsuDatabase();
    // Opening a database sets its address and, the first time, the secret that seals what is written.
    rereadEnv();
  }
  // Code that asks for the process's own client gets the same one.
  if (lent) adopted.__kimitsuDb = connect(lent.url, POOL_SIZE);
  return (deps = { db: db(), now: () => new Date() });
}

/** Where the opened database is, for a process that the command starts. */
export function databaseUrl(): string {
  const url = lent?.url ?? env.DATABASE_URL;
  if (!url) throw new Error("unreachable: the database was not opened");
  return url;
}

/**
 * What a person can do about a failure of the database; null for any other. The address is shown without its password.
 */
export function explainDatabase(error: unknown): string | null {
  if (!isDatabaseAway(error)) return null;
  const where = URL.parse(databaseUrl())?.host ?? "DATABASE_URL";
  return `The database at ${where} cannot be reached. Start it, or set DATABASE_URL to one that runs; \`kimitsu doctor\` says more.`;
}

export async function closeDatabase(): Promise<void> {
  await deps?.db.$disconnect();
  await lent?.stop();
}
