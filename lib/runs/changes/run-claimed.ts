/** A worker claims the run: for the first time, when it resumes, or from a worker that is gone. */
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveRun } from "@/lib/runs/changes/move";

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
};
