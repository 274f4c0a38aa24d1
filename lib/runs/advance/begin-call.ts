/**
 * The only transition from `approved` to `executing`, on record before any byte leaves. It is refused when the grant is
 * missing, the budget does not cover it, everything is paused, or the call may have been sent before commits were lost.
 * A call that a dead worker left `executing` is begun again only if it may be sent twice. Throws RecordChanged when the
 * row of its grant differs from what was sealed.
 */
import { doHold, IS_NOT_PAUSED, isGranted } from "@/lib/runs/journal/call-guards";
import { findChangedGrant } from "@/lib/runs/journal/changed-questions";
import { RecordChanged } from "@/lib/runs/journal/fold";
import { isDispatchPaused } from "@/lib/runs/queries/is-dispatch-paused";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import { executeCall } from "@/lib/runs/changes/call-executing";
import { AGENTS_SERVER } from "@/lib/runs/rules/call-state";
import type { CallRow, RunRow } from "@/lib/runs/snapshot";

export type BeginOutcome =
  | { kind: "done" }
  | { kind: "refused"; why: "not_approved" | "paused" | "commits_lost" }
  | { kind: "refused"; why: "budget"; usedUsd: number; limitUsd: number };

/** `budgetUsd` is the limit that the policy judged it by: the cost of the run's tools so far plus its own must fit. */
export async function beginCall(
  { deps, memory, writes }: RunContext,
  call: CallRow,
  { budgetUsd = null }: { budgetUsd?: number | null } = {},
): Promise<BeginOutcome> {
  if (isDoubted(memory.run, call)) return { kind: "refused", why: "commits_lost" };
  const over = () => findOverspend(memory, call.costUsd, budgetUsd);
  const build = () => executeCall(memory.snapshot, call, { epoch: memory.lease.epoch, at: deps.now().toISOString() });
  const guards = [IS_NOT_PAUSED, ...(call.approval ? [isGranted(call, call.approval, memory.run)] : [])];
  for (;;) {
    const outcome = await writes.try({ build, touches: { calls: [call.id] }, guards, fits: () => over() === null });
    if (outcome === "done") return { kind: "done" };
    const spent = over();
    if (spent) return { kind: "refused", why: "budget", ...spent };
    const changed = call.approval && (await findChangedGrant(deps.db, memory.run.id, call.approval));
    if (changed) throw new RecordChanged(memory.run.id, changed);
    if (await isDispatchPaused(deps.db)) return { kind: "refused", why: "paused" };
    if (!(await doHold(deps.db, guards))) return { kind: "refused", why: "not_approved" };
    // The reason for the refusal is gone, such as a pause that just ended: nobody needs to be asked again for that.
  }
}

/** The record that it was sent may be among the lost commits, unless a person has since said what became of it. */
function isDoubted({ commitsLostAt }: RunRow, { status, retrySafe, server, settledAt }: CallRow): boolean {
  if (commitsLostAt === null || status !== "approved" || retrySafe || server === AGENTS_SERVER) return false;
  return settledAt === null || settledAt <= commitsLostAt;
}

function findOverspend(memory: RunMemory, costUsd: number, budgetUsd: number | null) {
  if (costUsd === 0) return null;
  const limits = [
    { usedUsd: memory.run.costUsd + memory.reservedUsd, limitUsd: memory.run.costBudgetUsd },
    { usedUsd: memory.toolsUsd, limitUsd: budgetUsd },
  ];
  for (const { usedUsd, limitUsd } of limits) {
    if (limitUsd !== null && usedUsd + costUsd > limitUsd + MONEY_STEP_USD / 2) return { usedUsd, limitUsd };
  }
  return null;
}

/** Money is stored to this precision; errors of floating-point sums are smaller. */
const MONEY_STEP_USD = 1e-6;
