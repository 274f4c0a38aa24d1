/**
 * Runs that this process has parked, as they are on record, so that a decision a moment later need not read and fold
 * them again. Nothing is decided by this cache alone: the commit is guarded by the last journal row seen, so a run that
 * has changed since is read again.
 */
import type { Db } from "@/lib/database/client";
import type { OpenRun } from "@/lib/runs/journal/open-run";

/** However many runs wait for people, at most this many are kept, and only small ones. */
const RUNS_MAX = 500;
const PARTS_MAX = 60;

/** By database, because tests have many in one process. */
const kept = new WeakMap<object, Map<string, OpenRun>>();

export function keepParked(db: Db, run: OpenRun): void {
  const { snapshot } = run;
  if (snapshot.calls.size + snapshot.steps.size > PARTS_MAX) return;
  const runs = kept.get(db) ?? new Map<string, OpenRun>();
  kept.set(db, runs);
  runs.set(snapshot.run.id, run);
  const [oldest] = runs.keys();
  if (runs.size > RUNS_MAX && oldest !== undefined) runs.delete(oldest);
}

/** Removes it, because the caller changes it. Null when it is not here, or no longer matches the record. */
export function takeParked(db: Db, runId: string, seq: number): OpenRun | null {
  const runs = kept.get(db);
  const run = runs?.get(runId);
  if (!runs || !run) return null;
  runs.delete(runId);
  return run.head.seq === seq ? run : null;
}
