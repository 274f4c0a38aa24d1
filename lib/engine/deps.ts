import { type Db, db } from "@/lib/store/client";

/** What every use case needs from outside. Time is an argument, so that tests hold the clock. */
export interface EngineDeps {
  db: Db;
  now: () => Date;
}

export function engineDeps(): EngineDeps {
  return { db: db(), now: () => new Date() };
}
