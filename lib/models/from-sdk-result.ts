/**
 * Converts the SDK's answer to our turn. What the model got wrong is marked for the engine to answer, never guessed at.
 */
import { mapText, storableText } from "@/lib/text/tool-text";
import { checkArguments, type CheckedArguments, refuseArguments } from "./check-arguments";
import type { FinishReason, JsonObject, ModelRequest, ModelTurn, ToolCallRequest, Usage } from "./model";
import { type RawPart, toRaw } from "./raw-turn";
import type { SdkResult } from "./sdk-types";
import { readWireNames } from "./tool-names";

type SdkPart = SdkResult["content"][number];
type SdkToolCall = Extract<SdkPart, { type: "tool-call" }>;

const FINISH_REASONS: Record<SdkResult["finishReason"]["unified"], FinishReason> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "refused",
  error: "other",
  interrupted: "other",
  other: "other",
};

export function fromSdkResult(result: SdkResult, request: ModelRequest, model: string): ModelTurn {
  const reported = FINISH_REASONS[result.finishReason.unified];
  // Calls that a model began before it declined are not made.
  const asked =
    reported === "refused"
      ? []
      : result.content.filter(
          (part): part is SdkToolCall => part.type === "tool-call" && part.providerExecuted !== true,
        );
  const toolCalls = readCalls(asked, request, reported);
  const ids = new Map(asked.map((part, index) => [part, toolCalls[index]!.id]));
  const text = result.content.map((part) => (part.type === "text" ? storableText(part.text) : "")).join("");
  return {
    text,
    toolCalls,
    // Some servers end a turn with calls as `stop`.
    finishReason: toolCalls.length > 0 && reported !== "length" ? "tool_calls" : reported,
    usage: readUsage(result.usage),
    ...readIgnored(result.warnings),
    raw: toRaw({ model, parts: result.content.flatMap((part) => keepPart(part, ids)) }),
  };
}

function keepPart(part: SdkPart, ids: ReadonlyMap<SdkPart, string>): RawPart[] {
  const metadata =
    "providerMetadata" in part && part.providerMetadata
      ? { metadata: mapText(part.providerMetadata, storableText) as NonNullable<RawPart["metadata"]> }
      : {};
  if (part.type === "text" || part.type === "reasoning") {
    const text = storableText(part.text);
    // The provider would refuse a signature over a different text.
    return [{ type: part.type, text, ...(text === part.text ? metadata : {}) }];
  }
  const id = ids.get(part);
  return id === undefined ? [] : [{ type: "tool_call", id, ...metadata }];
}

function readCalls(parts: readonly SdkToolCall[], request: ModelRequest, reported: FinishReason): ToolCallRequest[] {
  const nameOf = readWireNames(request);
  const used = new Set(
    request.messages.flatMap((message) =>
      message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [],
    ),
  );
  return parts.map((part, index) => {
    const id = chooseId(part.toolCallId, used, `call_${request.metadata.turn}_${index + 1}`);
    used.add(id);
    // The limit cuts the last call in the middle of its arguments, and some providers complete the JSON that is left.
    const isCut = reported === "length" && index === parts.length - 1;
    return { id, name: storableText(nameOf(part.toolName)), ...readArguments(part.input, isCut) };
  });
}

/**
 * Ids must be unique in the conversation and valid for every provider, since another one may be asked next; not all
 * servers ensure that.
 */
function chooseId(given: string, used: ReadonlySet<string>, base: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(given) && !used.has(given)) return given;
  let id = base;
  for (let count = 2; used.has(id); count++) id = `${base}_${count}`;
  return id;
}

function readArguments(input: string, isCut: boolean): CheckedArguments {
  const refuse = (problem: string) => refuseArguments(input, problem);
  if (isCut)
    return refuse(
      "The turn was cut at the token limit, so the arguments may be incomplete; send the whole call again, shorter if possible.",
    );
  // A tool without parameters is often called with nothing at all.
  if (input.trim() === "") return { arguments: {} };
  try {
    const value: unknown = JSON.parse(input);
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      return checkArguments(value as JsonObject, input);
    return refuse(
      "The arguments are not a JSON object; send the call again with an object that fits the tool's schema.",
    );
  } catch {
    return refuse(
      "The arguments are not valid JSON; send the call again with a JSON object that fits the tool's schema.",
    );
  }
}

/** Only names: the SDK's explanations may quote the conversation. */
function readIgnored(warnings: SdkResult["warnings"]): Pick<ModelTurn, "ignoredSettings"> {
  const names = warnings.flatMap((warning) => (warning.type === "unsupported" ? [warning.feature] : []));
  return names.length > 0 ? { ignoredSettings: [...new Set(names)] } : {};
}

function readUsage({ inputTokens, outputTokens }: SdkResult["usage"]): Usage {
  return {
    tokensIn: count(inputTokens.total),
    tokensOut: count(outputTokens.total),
    ...(inputTokens.cacheRead ? { tokensInCacheRead: count(inputTokens.cacheRead) } : {}),
    ...(inputTokens.cacheWrite ? { tokensInCacheWrite: count(inputTokens.cacheWrite) } : {}),
    ...(outputTokens.reasoning ? { tokensOutReasoning: count(outputTokens.reasoning) } : {}),
  };
}

/** A server may report something other than a whole number, which the database refuses. */
function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.ceil(tokens) : 0;
}
