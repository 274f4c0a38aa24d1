import { type Db, db, poolUse } from "@/lib/database/client";

/** What every use case needs from outside. Time is an argument, so that tests control the clock. */
export interface EngineDeps {
  db: Db;
  now: () => Date;
}

export function engineDeps(): EngineDeps {
  return { db: db(), now: () => new Date() };
}

/** Statements of this process that wait for a connection: many mean that the database does not keep up. */
export const databaseWaiting = (deps: EngineDeps): number => poolUse(deps.db).waiting;
