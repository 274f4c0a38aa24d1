/** A person ends a run, at any moment: what waits is withdrawn, and what was not sent is never sent. */
import type { Actor } from "@/lib/people/rules/actor";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { endLeftOpen, findLeftOpen, type LeftOpen, leftOpenEvents } from "@/lib/runs/changes/left-open";
import { moveRun } from "@/lib/runs/changes/move";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface RunCancelled extends Change {
  kind: "run_cancelled";
  reason: string | null;
  leftOpen: LeftOpen;
  actor: Actor;
}

export function cancelRun(
  snapshot: RunSnapshot,
  { reason, actor, at }: { reason: string | null; actor: Actor; at: string },
): RunCancelled {
  return { kind: "run_cancelled", at, reason, actor, leftOpen: findLeftOpen(snapshot) };
}

export const runCancelled: ChangeKind<RunCancelled> = {
  kind: "run_cancelled",
  events: ({ reason, leftOpen, actor }) => [
    ...leftOpenEvents(leftOpen, actor),
    { type: "run.cancelled", actor, data: { reason } },
  ],
  approvals: ({ leftOpen }) => leftOpen.approvals.map(({ id }) => id),
  apply(snapshot, { leftOpen, at }) {
    endLeftOpen(snapshot, leftOpen, at);
    moveRun(snapshot, "cancelled", at);
    snapshot.run.error = null;
  },
};
