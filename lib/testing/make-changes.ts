import type { Db } from "@/lib/database/client";
import type { RunChange } from "@/lib/runs/changes/registry";
import { changeRun } from "@/lib/runs/journal/change-run";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/**
 * Changes a run as if Kimitsu had done it, in one commit, for what a test cannot cause itself, or not in this order.
 */
export async function makeChanges(db: Db, runId: string, build: (snapshot: RunSnapshot) => RunChange[]): Promise<void> {
  const outcome = await changeRun(db, runId, {
    at: new Date(),
    build: ({ snapshot }) => {
      const changes = build(snapshot);
      const isEnd = changes.some(({ kind }) => kind === "run_ended" || kind === "run_cancelled");
      const isOver = isEnd || isRunSettled(snapshot.run.status);
      return { changes, queue: isOver ? { kind: "release", wakeAt: null } : { kind: "stay" }, done: null };
    },
  });
  if (outcome.kind !== "done") throw new Error(`run ${runId} could not be changed: ${outcome.kind}`);
}
