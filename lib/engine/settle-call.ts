/** A person says what became of a call whose outcome is unknown, so that its run can go on. */
import type { Actor } from "@/lib/domain/actor";
import { redact } from "@/lib/domain/redaction";
import { mapText, storableText } from "@/lib/domain/tool-text";
import { WEBHOOK_SERVER } from "@/lib/engine/advance/run-webhook";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { Runtime } from "@/lib/engine/runtime";
import { KimitsuError } from "@/lib/errors";
import { findApprovalOfCall } from "@/lib/store/queries/get-approval";
import { getCallHead } from "@/lib/store/queries/get-call-head";
import { settleCallRow } from "@/lib/store/transitions/settle-call";
import { followAct } from "@/lib/telemetry/tell-run";

export interface SettleWish {
  callId: string;
  /** It happened, with what came of it; it did not, so it is sent now; or the call counts as failed. */
  outcome: "happened" | "did_not_happen" | "failed";
  result?: unknown;
  comment?: string;
}

const TO = { happened: "succeeded", did_not_happen: "approved", failed: "failed" } as const;

export async function settleCall(deps: Runtime, actor: Actor, wish: SettleWish): Promise<void> {
  const call = await getCallHead(deps.db, wish.callId);
  if (call.status !== "outcome_unknown") throw new KimitsuError("conflict", `Call ${call.id} is ${call.status}; only a call whose outcome is unknown can be settled. Nothing was changed.`);
  await refuseOwn(deps, actor, wish);
  for (const path of ["comment", "result"] as const) refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path, what: `The ${path}`, value: wish[path] });
  const result = toResult(call.server, mapText(wish.result ?? null, storableText));
  const kept = wish.outcome === "happened" ? redact(result, { fingerprint: deps.fingerprint }) : undefined;
  const settled = { callId: call.id, runId: call.runId, to: TO[wish.outcome], result: kept, comment: wish.comment ?? null };
  const done = await followAct("settle call", call.runId, () => settleCallRow(deps.db, settled, actor, deps.now()));
  if (done) return deps.wake(call.runId);
  const now = await getCallHead(deps.db, wish.callId);
  throw new KimitsuError("conflict", now.status === "outcome_unknown" ? `Run ${call.runId} is over, so call ${call.id} cannot be sent any more. Nothing was changed.` : `Call ${call.id} was settled by someone else: it is ${now.status}. Nothing was changed.`);
}

/** In the form in which the other side's own answer would be kept, so that what comes after reads it in the same way. */
function toResult(server: string, said: unknown): object {
  if (server === WEBHOOK_SERVER) return { status: null, body: said };
  const output = typeof said === "string" ? said : JSON.stringify(said);
  return { success: true, output, content: [{ type: "text", text: output }], structured_content: typeof said === "object" ? said : null, is_error: false, error: null };
}

/**
 * Where others had to approve a call, whoever started its run can neither have it sent once more nor say what came of it: that would be to decide
 * it. To count it as failed sends nothing and makes nothing up.
 */
async function refuseOwn(deps: Runtime, actor: Actor, { callId, outcome }: SettleWish): Promise<void> {
  if (outcome === "failed") return;
  const approval = await findApprovalOfCall(deps.db, callId);
  const person = actor.kind === "user" ? actor.id : actor.userId;
  if (!approval || approval.selfApproval || approval.decisions.length === 0 || !approval.starterIds.includes(person ?? "")) return;
  throw new KimitsuError("forbidden", `Call ${callId} was approved by others, and whoever started a run cannot say what became of such a call; any other operator can. You can count it as failed. Nothing was changed.`);
}
