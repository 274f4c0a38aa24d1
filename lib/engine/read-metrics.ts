/** All figures for Prometheus: what this process has counted, and what the database holds. Without the database, the former alone. */
import type { EngineDeps } from "@/lib/engine/deps";
import { log } from "@/lib/log";
import { poolUse } from "@/lib/store/client";
import { type Gauges, getGauges } from "@/lib/store/queries/get-gauges";
import { metrics } from "@/lib/telemetry/metrics";

const OPEN_STATUSES = ["pending", "running", "pending_approval", "needs_human_review"];
const DANGERS = ["safe", "low", "medium", "high", "critical"];

export async function readMetrics(deps: EngineDeps): Promise<{ text: string; contentType: string }> {
  const { registry, connections, connectionWaits, databaseUp } = metrics();
  const { busy, idle, waiting } = poolUse(deps.db);
  connections.set({ state: "busy" }, busy);
  connections.set({ state: "idle" }, idle);
  connectionWaits.set(waiting);
  const gauges = await getGauges(deps.db, deps.now()).catch((error: unknown) => {
    log.warn({ err: error }, "the figures of the database could not be read");
    return null;
  });
  databaseUp.set(gauges ? 1 : 0);
  if (gauges) show(gauges);
  else forget();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** Zeros are shown too: a series that comes and goes cannot be alerted on. */
function show(gauges: Gauges): void {
  const all = metrics();
  for (const status of OPEN_STATUSES) all.openRuns.set({ status }, gauges.openRuns[status] ?? 0);
  for (const danger of DANGERS) all.pendingApprovals.set({ danger }, gauges.pendingByDanger[danger] ?? 0);
  all.dueRuns.set(gauges.due);
  all.oldestDue.set(gauges.dueOldestS);
  all.leases.set({ state: "held" }, gauges.leasesHeld);
  all.leases.set({ state: "silent" }, gauges.leasesSilent);
  all.oldestPending.set(gauges.pendingOldestS);
  all.unknownCalls.set(gauges.outcomeUnknown);
  all.workersAlive.set(gauges.workersAlive);
  all.dispatchPaused.set(gauges.isPaused ? 1 : 0);
}

/** Figures that are old are worse than none. */
function forget(): void {
  const { openRuns, pendingApprovals, leases, dueRuns, oldestDue, oldestPending, unknownCalls, workersAlive, dispatchPaused } = metrics();
  for (const labelled of [openRuns, pendingApprovals, leases]) labelled.reset();
  for (const plain of [dueRuns, oldestDue, oldestPending, unknownCalls, workersAlive, dispatchPaused]) plain.remove();
}
