/** A worker claims the run: for the first time, when it resumes, or from a worker that is gone. */
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import { moveRun } from "@/lib/runs/changes/move";
import type { RowEvent } from "@/lib/runs/changes/row-events";

export interface RunClaimed extends Change {
  kind: "run_claimed";
  worker: string;
  /** The worker that had it. */
  from: string | null;
  was: RunStatus;
}

export const runClaimed: ChangeKind<RunClaimed> = {
  kind: "run_claimed",
  events({ worker, from, was }) {
    if (from !== null) return [{ type: "run.taken_over", data: { worker, from_worker: from } }];
    return [{ type: was === "pending" ? "run.started" : "run.resumed", data: { worker } }];
  },
  apply(snapshot, { at }) {
    moveRun(snapshot, "running", at);
    snapshot.run.isClaimAnnounced = false;
  },
  keep: (change, _run, [event]) => leaveOut(change, told(event)),
  open: (kept: RunClaimed, _run, events) => ({
    ...told(events.take("run.started", "run.resumed", "run.taken_over")),
    ...kept,
  }),
};

/** What its event says of it. Most runs are resumed because a person has decided. */
const told = (event: RowEvent | null | undefined): Partial<RunClaimed> =>
  event
    ? {
        worker: event.data.worker as string,
        from: (event.data.from_worker ?? null) as string | null,
        was: event.type === "run.started" ? "pending" : "pending_approval",
      }
    : {};
