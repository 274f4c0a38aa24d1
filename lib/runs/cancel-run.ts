/**
 * Ends a run at a person's request, at any moment: what waits is withdrawn, and what was not sent is never sent. The
 * epoch is raised, so that the run's worker can write nothing more. A run that is already over is a conflict and stays
 * unchanged.
 */
import { KimitsuError } from "@/lib/errors";
import type { Actor } from "@/lib/people/rules/actor";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import { cancelRun as cancelled } from "@/lib/runs/changes/run-cancelled";
import { changeRun, type OutsideChange, pausesAround } from "@/lib/runs/journal/change-run";
import { refundSession } from "@/lib/runs/journal/refund-session";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import type { StartDeps } from "@/lib/runs/start-run";
import { followAct, recordRunSettled } from "@/lib/telemetry/record-run";

export async function cancelRun(
  deps: StartDeps,
  actor: Actor,
  command: { runId: string; reason?: string },
): Promise<void> {
  const { runId, reason = null } = command;
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, {
    path: "reason",
    what: "The reason",
    value: command.reason,
  });
  const at = deps.now();
  const how = {
    build: ({ snapshot }: { snapshot: RunSnapshot }) => buildCancel(snapshot, { reason, actor, at: at.toISOString() }),
    at,
    despiteRow: true,
    pauses: pausesAround("cancel-run", runId),
  };
  const change = () => refuseChangedRecord(() => changeRun(deps.db, runId, how), " Nothing was changed.");
  const outcome = await followAct("cancel run", runId, change);
  if (outcome.kind !== "done") throw changedByHand(runId);
  recordRunSettled({ runId, workflow: outcome.done, status: "cancelled" });
  deps.wake(runId);
}

/** `done` is the workflow. */
function buildCancel(
  snapshot: RunSnapshot,
  by: { reason: string | null; actor: Actor; at: string },
): OutsideChange<string> {
  const { id, status, workflow } = snapshot.run;
  if (isRunSettled(status)) throw new KimitsuError("conflict", `Run ${id} is ${status} already; nothing was changed.`);
  const queue = { kind: "revoke", wakeAt: null, epochs: 1 } as const;
  return { changes: [cancelled(snapshot, by)], queue, also: refundSession(snapshot), done: workflow };
}

/** No guard can refuse this change, unless rows of the run or its approvals differ from its journal. */
const changedByHand = (runId: string) =>
  new KimitsuError(
    "conflict",
    `The record of run ${runId} was changed in the database. \`kimitsu audit verify\` names what differs. Nothing was changed.`,
  );
