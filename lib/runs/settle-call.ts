/** A person says what became of a call whose outcome is unknown, so that its run can continue. */
import { KimitsuError } from "@/lib/errors";
import { type Actor, personOf } from "@/lib/people/rules/actor";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import { WEBHOOK_SERVER } from "@/lib/runs/advance/run-webhook";
import { changeRun, type OutsideChange, pausesAround } from "@/lib/runs/journal/change-run";
import { getRunOfCall, noCall } from "@/lib/runs/queries/find-run-of-call";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { Runtime } from "@/lib/runs/runtime";
import type { CallRow, RunSnapshot } from "@/lib/runs/snapshot";
import { followAct } from "@/lib/telemetry/record-run";
import { redact } from "@/lib/text/redaction";
import { mapText, storableText } from "@/lib/text/tool-text";

export interface SettleCommand {
  callId: string;
  /** It happened, with this result; it did not, so it is sent now; or the call counts as failed. */
  outcome: "happened" | "did_not_happen" | "failed";
  result?: unknown;
  comment?: string;
}

const TO = { happened: "succeeded", did_not_happen: "approved", failed: "failed" } as const;

/** The new status of the call, and its run. */
export async function settleCall(
  deps: Runtime,
  actor: Actor,
  command: SettleCommand,
): Promise<{ runId: string; status: CallStatus }> {
  const runId = await getRunOfCall(deps.db, command.callId);
  const at = deps.now();
  let wasUnknown = false;
  const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
    const call = snapshot.calls.get(command.callId);
    if (!call) throw noCall(command.callId);
    if (call.status !== "outcome_unknown") throw notUnknown(call, wasUnknown);
    wasUnknown = true;
    return buildSettlement(deps, { snapshot, call, actor, command, at });
  };
  const how = { build, at, pauses: pausesAround("settle-call", command.callId) };
  const change = () => refuseChangedRecord(() => changeRun(deps.db, runId, how), " Nothing was changed.");
  const outcome = await followAct("settle call", runId, change);
  if (outcome.kind !== "done")
    throw new Error(`unreachable: call ${command.callId} was not settled, and nothing refused it`);
  deps.wake(runId);
  return { runId, status: TO[command.outcome] };
}

function notUnknown({ id, status }: CallRow, wasUnknown: boolean): KimitsuError {
  const message = wasUnknown
    ? `Call ${id} was settled by someone else: it is ${status}.`
    : `Call ${id} is ${status}; only a call whose outcome is unknown can be settled.`;
  return new KimitsuError("conflict", `${message} Nothing was changed.`);
}

interface Settlement {
  snapshot: RunSnapshot;
  call: CallRow;
  actor: Actor;
  command: SettleCommand;
  at: Date;
}

function buildSettlement(deps: Runtime, { snapshot, call, actor, command, at }: Settlement): OutsideChange<null> {
  refuseOwn(snapshot, call, { actor, command });
  const { project } = deps.projects.current();
  for (const path of ["comment", "result"] as const) {
    refuseKnownSecrets(project, deps.processEnv, { path, what: `The ${path}`, value: command[path] });
  }
  const { id: runId, status } = snapshot.run;
  const to = TO[command.outcome];
  const isOver = isRunSettled(status);
  if (isOver && to === "approved") {
    throw new KimitsuError(
      "conflict",
      `Run ${runId} is over, so call ${call.id} cannot be sent any more. Nothing was changed.`,
    );
  }
  const result = command.outcome === "happened" ? resultOf(deps, call, command.result) : undefined;
  const said = {
    callId: call.id,
    to,
    comment: command.comment ?? null,
    actor,
    ...(result === undefined ? {} : { result }),
  };
  return {
    changes: [{ kind: "call_settled", at: at.toISOString(), ...said }],
    queue: isOver ? { kind: "stay" } : { kind: "wake" },
    done: null,
  };
}

/** The result that the person gives; undefined when they give none and the tool's own answer is on record. */
function resultOf(deps: Runtime, call: CallRow, said: unknown): unknown {
  if (said === undefined && (call.result ?? null) !== null && call.server !== WEBHOOK_SERVER) return undefined;
  return redact(toResult(call.server, mapText(said ?? null, storableText)), { fingerprint: deps.fingerprint });
}

/** In the form in which the other side's own answer would be stored, so that later readers treat it the same. */
function toResult(server: string, said: unknown): object {
  if (server === WEBHOOK_SERVER) return { status: null, body: said };
  const output = typeof said === "string" ? said : JSON.stringify(said);
  return {
    success: true,
    output,
    content: [{ type: "text", text: output }],
    structured_content: typeof said === "object" ? said : null,
    is_error: false,
    error: null,
  };
}

/**
 * If others had to approve a call, the person who started its run can neither have it sent again nor say what became of
 * it: that would decide it. Counting it as failed sends nothing and invents nothing.
 */
function refuseOwn(
  { run }: RunSnapshot,
  { id, approval }: CallRow,
  { actor, command }: { actor: Actor; command: SettleCommand },
): void {
  if (command.outcome === "failed" || !approval || approval.selfApproval || approval.decisions.length === 0) return;
  if (!run.starterIds.includes(personOf(actor) ?? "")) return;
  throw new KimitsuError(
    "forbidden",
    `Call ${id} was approved by others, and whoever started a run cannot say what became of such a call; any other operator can. You can count it as failed. Nothing was changed.`,
  );
}
