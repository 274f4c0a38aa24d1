/** Ends a run by a person's word. What waits is withdrawn; a run that is over already is a conflict and stays as it is. */
import type { Actor } from "@/lib/domain/actor";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { StartDeps } from "@/lib/engine/start-run";
import { KimitsuError } from "@/lib/errors";
import { getRunHead } from "@/lib/store/queries/get-run-head";
import { cancelRunRow } from "@/lib/store/transitions/cancel-run";
import { followAct, tellRunSettled } from "@/lib/telemetry/tell-run";

export async function cancelRun(deps: StartDeps, actor: Actor, wish: { runId: string; reason?: string }): Promise<void> {
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path: "reason", what: "The reason", value: wish.reason });
  const { workflow } = await getRunHead(deps.db, wish.runId);
  const done = await followAct("cancel run", wish.runId, () => cancelRunRow(deps.db, { runId: wish.runId, reason: wish.reason ?? null }, actor, deps.now()));
  if (done) {
    tellRunSettled({ runId: wish.runId, workflow, status: "cancelled" });
    return deps.wake(wish.runId);
  }
  const { status } = await getRunHead(deps.db, wish.runId);
  throw new KimitsuError("conflict", `Run ${wish.runId} is ${status} already; nothing was changed.`);
}
