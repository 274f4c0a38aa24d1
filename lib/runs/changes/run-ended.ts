/** A run ends: complete with its output, or failed with its error. What never began is cancelled with it. */
import { digestOutput } from "@/lib/text/digest";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { endLeftOpen, findLeftOpen, type LeftOpen, leftOpenEvents, nothingOpen } from "@/lib/runs/changes/left-open";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import { moveRun } from "@/lib/runs/changes/move";
import type { RunError, RunSnapshot } from "@/lib/runs/snapshot";

export type RunEnd = { status: "complete"; output: unknown } | { status: "failed"; error: RunError };

export interface RunEnded extends Change {
  kind: "run_ended";
  end: RunEnd;
  activeMs: number;
  leftOpen: LeftOpen;
}

/** Throws when a call was sent and has no result: its result must come first. */
export function endRun(
  snapshot: RunSnapshot,
  { end, activeMs, at }: { end: RunEnd; activeMs: number; at: string },
): RunEnded {
  const leftOpen = findLeftOpen(snapshot);
  const sent = leftOpen.calls.find(({ to }) => to === "outcome_unknown");
  if (sent) throw new Error(`unreachable: run ${snapshot.run.id} would end over call ${sent.id}, which has no result`);
  return { kind: "run_ended", at, end, activeMs, leftOpen };
}

export const runEnded: ChangeKind<RunEnded> = {
  kind: "run_ended",
  events({ end, leftOpen }) {
    const data =
      end.status === "failed"
        ? { code: end.error.code, message: end.error.message }
        : { output: digestOutput(end.output) };
    const type = end.status === "complete" ? "run.completed" : "run.failed";
    return [...leftOpenEvents(leftOpen), { type, data }];
  },
  approvals: ({ leftOpen }) => leftOpen.approvals.map(({ id }) => id),
  apply(snapshot, { end, activeMs, leftOpen, at }) {
    endLeftOpen(snapshot, leftOpen, at);
    moveRun(snapshot, end.status, at);
    snapshot.run.activeMs += activeMs;
    snapshot.run.error = end.status === "failed" ? end.error : null;
    snapshot.run.output = end.status === "complete" ? (end.output ?? null) : null;
  },
  keep: (change) => leaveOut(change, { leftOpen: nothingOpen() }),
  open: (kept: Omit<RunEnded, "leftOpen">) => ({ leftOpen: nothingOpen(), ...kept }),
};
