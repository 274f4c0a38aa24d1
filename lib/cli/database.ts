import type { EngineDeps } from "@/lib/engine/deps";
import { env } from "@/lib/env";
import { connect, db } from "@/lib/store/client";

/** One command at a time needs no more connections than it has statements under way. */
const POOL_SIZE = 4;

interface LentDatabase {
  url: string;
  /** Ends the embedded Postgres if it was started for this command. */
  stop(): Promise<void>;
}

/** Given by scripts/kimitsu.mjs, which knows the data folder. */
const lender = globalThis as typeof globalThis & { __kimitsuDatabase?: () => Promise<LentDatabase> };

let lent: LentDatabase | undefined;
let deps: EngineDeps | undefined;

/** The database of this machine's configuration: DATABASE_URL, or the embedded one, which is started if it does not run. */
export async function openDatabase(): Promise<EngineDeps> {
  if (!env.DATABASE_URL && lender.__kimitsuDatabase) {
    lent = await lender.__kimitsuDatabase();
  }
  return (deps = { db: lent ? connect(lent.url, POOL_SIZE) : db(), now: () => new Date() });
}

export async function closeDatabase(): Promise<void> {
  await deps?.db.$disconnect();
  await lent?.stop();
}
