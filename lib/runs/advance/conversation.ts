/**
 * The conversation of an agent step, rebuilt from its recorded turns and calls: any process builds the same messages
 * for the next request.
 */
import { effectOfRefusal, refusalForModel, type RefusedCall } from "@/lib/approvals/rules/after-rejection";
import { cutForModel, type ToolResult as KeptResult } from "@/lib/tools/rules/tool-result";
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import type { AssistantMessage, Json, ModelMessage, ModelTurn, ToolResult } from "@/lib/models/model";
import type { CallRow, TurnRow } from "@/lib/runs/snapshot";

/** The whole result is stored for people; a model gets this much, with a note. */
const RESULT_LENGTH_MAX = 32_000;

/** What a turn's row stores of its request: the messages that were new with it. */
export interface TurnRequest {
  messages: ModelMessage[];
}

export function buildMessages(memory: RunMemory, stepId: string, opening: ModelMessage[]): ModelMessage[] {
  const turns = memory.turnsOf(stepId);
  const messages: ModelMessage[] = [...opening];
  for (const turn of turns) {
    const kept = (turn.request as TurnRequest | null)?.messages ?? [];
    if (turn.number > 1) messages.push(...kept);
    messages.push(toAssistant(turn));
    const results = resultsOf(memory, turn);
    if (results.length > 0) messages.push({ role: "tool", results });
  }
  return messages;
}

export function responseOf(turn: TurnRow): ModelTurn {
  return turn.response as unknown as ModelTurn;
}

function toAssistant(turn: TurnRow): AssistantMessage {
  const { text, toolCalls, raw } = responseOf(turn);
  return { role: "assistant", text, toolCalls, ...(raw === undefined ? {} : { raw }) };
}

/** One result for each call of the turn, in the order of the model's calls. */
function resultsOf(memory: RunMemory, turn: TurnRow): ToolResult[] {
  const calls = new Map(memory.callsOfTurn(turn.id).map((call) => [call.modelCallId, call]));
  return responseOf(turn).toolCalls.map((wanted) => {
    const call = calls.get(wanted.id);
    if (!call) throw new Error(`unreachable: turn ${turn.id} asked for ${wanted.id}, which is not on record`);
    return toResult(memory, call, wanted.name);
  });
}

function toResult(memory: RunMemory, call: CallRow, name: string): ToolResult {
  const base = { callId: call.modelCallId ?? call.id, name };
  switch (call.status) {
    case "succeeded":
      return { ...base, status: "succeeded", output: withEdit(call, cut(call.result as KeptResult)) };
    case "failed":
      return {
        ...base,
        status: "failed",
        output: call.result ? cut(call.result as KeptResult) : { error: call.error?.message ?? "The call failed." },
      };
    case "denied":
      return {
        ...base,
        status: "denied",
        output: {
          status: "denied",
          tool: `${call.server}.${call.tool}`,
          code: call.error?.code ?? "denied",
          reason: call.error?.message ?? "",
        },
      };
    case "rejected":
    case "expired":
    case "cancelled":
      return { ...base, status: call.status, output: refusalForModel(toRefused(memory, call)) as Json };
    default:
      throw new Error(`unreachable: call ${call.id} is ${call.status}, and the next turn was to start`);
  }
}

/** The model must know when a person changed its call: the result is of the changed call. */
function withEdit(call: CallRow, output: Json): Json {
  if (!call.approval?.edited) return output;
  return { edited_by_reviewer: true, arguments_used: JSON.parse(call.argumentsCanonical) as Json, result: output };
}

function cut(result: KeptResult): Json {
  return cutForModel(result, RESULT_LENGTH_MAX) as Json;
}

export function toRefused(memory: RunMemory, call: CallRow): RefusedCall {
  const asked = call.approval ?? findEarlierRejection(memory, call)?.approval;
  return {
    server: call.server,
    tool: call.tool,
    status: call.status as RefusedCall["status"],
    reason: asked?.reason ?? call.error?.message ?? null,
    rule: asked?.rule ?? { onReject: "fail", timeoutBehavior: "fail" },
    refusedBefore: countRefusedTurns(memory, call),
  };
}

/** The same tool with the same arguments, rejected by a person earlier in this run. */
export function findEarlierRejection(
  memory: RunMemory,
  call: Pick<CallRow, "server" | "tool" | "digest">,
): CallRow | undefined {
  return [...memory.calls.values()].find(
    (other) =>
      other.status === "rejected" &&
      other.approval !== null &&
      other.server === call.server &&
      other.tool === call.tool &&
      other.digest === call.digest,
  );
}

/** Earlier turns of this step in which the tool was refused: several refusals in one turn count as one try. */
function countRefusedTurns(memory: RunMemory, call: CallRow): number {
  const turns = memory.turnsOf(call.stepId);
  const before = turns.slice(
    0,
    turns.findIndex((turn) => turn.id === call.turnId),
  );
  return before.filter((turn) =>
    memory
      .callsOfTurn(turn.id)
      .some((other) => other.server === call.server && other.tool === call.tool && isRefused(other)),
  ).length;
}

export const isRefused = (call: CallRow): boolean => call.status === "rejected" || call.status === "expired";

export function refusalEffects(memory: RunMemory, calls: CallRow[]) {
  return calls.filter(isRefused).map((call) => ({ call, effect: effectOfRefusal(toRefused(memory, call)) }));
}
