/**
 * Whether this process can serve, for any caller and however often: all requests within a second share one database
 * query.
 */
import { READINESS_AGE_MAX_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import type { Db } from "@/lib/database/client";
import { getReadiness, type Readiness } from "@/lib/runs/queries/get-readiness";

const looked = new WeakMap<Db, { at: number; state: Promise<Readiness> }>();

export function readReadiness({ db, now }: EngineDeps): Promise<Readiness> {
  const at = now();
  const before = looked.get(db);
  const ageMs = before ? at.getTime() - before.at : -1;
  if (before && ageMs >= 0 && ageMs < READINESS_AGE_MAX_MS) return before.state;
  const state = getReadiness(db, at);
  looked.set(db, { at: at.getTime(), state });
  return state;
}
