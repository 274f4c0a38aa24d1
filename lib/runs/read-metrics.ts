/**
 * All metrics for Prometheus: what this process has counted, and what the database has. Without the database, only the
 * former.
 */
import type { EngineDeps } from "@/lib/database/deps";
import { log } from "@/lib/log";
import { poolUse } from "@/lib/database/client";
import { type Gauges, getGauges } from "@/lib/runs/queries/get-gauges";
import { getProjectionLag } from "@/lib/runs/queries/get-projection-lag";
import { metrics } from "@/lib/telemetry/metrics";

export async function readMetrics(deps: EngineDeps): Promise<{ text: string; contentType: string }> {
  const { registry, connections, connectionWaits, databaseUp } = metrics();
  const { busy, idle, waiting } = poolUse(deps.db);
  connections.set({ state: "busy" }, busy);
  connections.set({ state: "idle" }, idle);
  connectionWaits.set(waiting);
  const gauges = await readGauges(deps).catch((error: unknown) => {
    log.warn({ err: error }, "the figures of the database could not be read");
    return null;
  });
  databaseUp.set(gauges ? 1 : 0);
  if (gauges) show(gauges);
  else forget();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

async function readGauges({ db, now }: EngineDeps): Promise<Gauges & { behindMs: number }> {
  return { ...(await getGauges(db, now())), ...(await getProjectionLag(db, now())) };
}

/** Includes zeros, because a series that comes and goes cannot be alerted on. */
function show(gauges: Gauges & { behindMs: number }): void {
  const all = metrics();
  for (const [status, count] of Object.entries(gauges.openRuns)) all.openRuns.set({ status }, count);
  for (const [danger, count] of Object.entries(gauges.pendingByDanger)) all.pendingApprovals.set({ danger }, count);
  all.dueRuns.set(gauges.due);
  all.oldestDue.set(gauges.dueOldestS);
  all.leases.set({ state: "held" }, gauges.leasesHeld);
  all.leases.set({ state: "silent" }, gauges.leasesSilent);
  all.oldestPending.set(gauges.pendingOldestS);
  all.unknownCalls.set(gauges.outcomeUnknown);
  all.projectionsBehind.set(gauges.behindMs / 1000);
  all.workersAlive.set(gauges.workersAlive);
  all.dispatchPaused.set(gauges.isPaused ? 1 : 0);
}

/** Outdated figures are worse than none. */
function forget(): void {
  const {
    openRuns,
    pendingApprovals,
    leases,
    dueRuns,
    oldestDue,
    oldestPending,
    unknownCalls,
    projectionsBehind,
    workersAlive,
    dispatchPaused,
  } = metrics();
  for (const labelled of [openRuns, pendingApprovals, leases]) labelled.reset();
  for (const plain of [
    dueRuns,
    oldestDue,
    oldestPending,
    unknownCalls,
    projectionsBehind,
    workersAlive,
    dispatchPaused,
  ])
    plain.remove();
}
