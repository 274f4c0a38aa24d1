/**
 * Where a worker releases a run: at its end, or where it waits. Both were judged on the run as a whole, so nothing may
 * come in between.
 */
import { pause } from "@/lib/pause";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { parkedStatus } from "@/lib/runs/advance/step-outcome";
import { endRun, type RunEnd } from "@/lib/runs/changes/run-ended";
import { type RunParked, wakeTimeOf } from "@/lib/runs/changes/run-parked";
import { refundSession } from "@/lib/runs/journal/refund-session";
import { keepParked } from "@/lib/runs/journal/run-cache";
import { recordRunSettled } from "@/lib/telemetry/record-run";

export type WritingRun = Pick<RunContext, "deps" | "memory" | "writes" | "activeMs">;

/**
 * False when something came in between, so that the run may not end like this. `seen` is `memory.news` from before the
 * run was judged: a decision that was read since then may not have been taken into account.
 */
export async function endOrGoOn(
  { deps, memory, writes, activeMs }: WritingRun,
  end: RunEnd,
  seen: number,
): Promise<boolean> {
  const { runId } = memory.lease;
  await pause("settle-run:before-commit", runId);
  if (memory.news !== seen) return false;
  const change = endRun(memory.snapshot, { end, activeMs: activeMs(), at: deps.now().toISOString() });
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const { steps, calls, approvals } = change.leftOpen;
  const touches = { steps: idsOf(steps), calls: idsOf(calls), approvals: idsOf(approvals) };
  const queue = { kind: "release", wakeAt: null } as const;
  const also = refundSession(memory.snapshot);
  if ((await writes.try({ build: () => change, touches, queue, also, fits: () => memory.news === seen })) !== "done")
    return false;
  await pause("settle-run:after-commit", runId);
  recordRunSettled({ runId, workflow: memory.run.workflow, status: end.status });
  return true;
}

/** Parks the run. False when something came in between, so that it may have something to do; `seen` as above. */
export async function parkOrGoOn(
  { deps, memory, writes, activeMs }: WritingRun,
  stop: ReturnType<typeof parkedStatus>,
  seen: number,
): Promise<boolean> {
  const { runId, owner } = memory.lease;
  await pause("park-run:before-commit", runId);
  const wakeAt = stop.wakeAt?.toISOString() ?? null;
  const at = deps.now().toISOString();
  const change: RunParked = {
    kind: "run_parked",
    at,
    status: stop.status,
    wakeAt,
    activeMs: activeMs(),
    ...(stop.status === "running" && { worker: owner }),
  };
  const next = wakeTimeOf(change);
  const queue = { kind: "release", wakeAt: next === null ? null : new Date(next) } as const;
  const isParked =
    (await writes.try({ build: () => change, touches: {}, queue, fits: () => memory.news === seen })) === "done";
  await pause("park-run:after-commit", runId);
  if (isParked) keepParked(deps.db, Object.assign(writes.run, { leaseOwner: null, wakeAt: queue.wakeAt }));
  return isParked;
}
