/**
 * From our request to the SDK's: every message, call and result in order, tool schemas unchanged. (For OpenAI the SDK
 * leaves out the two keywords that it refuses, `propertyNames` and patterns with lookaround.)
 */
import type { Provider } from "@/lib/config/gateway-schema";
import { OUTPUT_TOKENS_DEFAULT } from "./limits";
import type { AssistantMessage, JsonObject, ModelMessage, ModelRequest, ToolCallRequest, ToolResult } from "./model";
import { describeOutput } from "./output-format";
import { findParts, type RawPart } from "./raw-turn";
import type { SdkAssistantPart, SdkCall, SdkMessage, SdkTool, SdkToolResultPart } from "./sdk-types";
import { listCalledNames, toWireName } from "./tool-names";

export type ProviderType = Exclude<Provider["type"], "scripted">;

export interface SdkTarget {
  /** `provider/model-id`. */
  model: string;
  type: ProviderType;
}

type Metadata = RawPart["metadata"];

/**
 * `structured`: the answer's schema as the provider's structured output; without it the schema goes into the system
 * prompt.
 */
export function toSdkCall(request: ModelRequest, target: SdkTarget, structured: JsonObject | null = null): SdkCall {
  const words = request.outputSchema && structured === null ? [describeOutput(request.outputSchema)] : [];
  const system =
    words.length === 0
      ? request.system
      : [request.system.trimEnd(), ...words].filter((text) => text !== "").join("\n\n");
  return {
    prompt: [...toSystem(system, target), ...request.messages.flatMap((message) => toMessage(message, target))],
    ...toTools(request, target),
    ...(structured !== null && { responseFormat: { type: "json", name: "answer", schema: structured } }),
    // A limit makes the cost of a call predictable.
    maxOutputTokens: request.maxTokens ?? OUTPUT_TOKENS_DEFAULT,
    ...(request.temperature !== null && { temperature: request.temperature }),
    // Nothing is stored at OpenAI: the conversation is ours, and reasoning is sent along with it, encrypted. A strict
    // schema would make every field required, so that a model would have to fill in reasons to skip or to fail.
    ...(target.type === "openai" && {
      providerOptions: { openai: { store: false, ...(structured !== null && { strictJsonSchema: false }) } },
    }),
    // The SDK's alternative is a tool that must be called, which rules out several calls in one turn.
    ...(target.type === "anthropic" &&
      structured !== null && { providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } } }),
  };
}

function toSystem(system: string, target: SdkTarget): SdkMessage[] {
  if (system === "") return [];
  // The system prompt and the tools before it are the same in every run; Anthropic caches only what is marked.
  const cached = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
  return [{ role: "system", content: system, ...(target.type === "anthropic" && cached) }];
}

function toTools(request: ModelRequest, target: SdkTarget): Pick<SdkCall, "tools" | "toolChoice"> {
  const tools = request.tools.map(({ name, description, inputSchema }): SdkTool => ({
    type: "function",
    name: toWireName(name),
    description,
    inputSchema,
  }));
  if (tools.length > 0) return { tools };
  const called = listCalledNames(request);
  if (target.type !== "anthropic" || called.length === 0) return {};
  // Anthropic refuses a conversation with calls in it when no tools are defined, so a turn that must conclude names
  // them.
  const named = called.map((name): SdkTool => ({
    type: "function",
    name: toWireName(name),
    description: "No longer available.",
    inputSchema: { type: "object" },
  }));
  return { tools: named, toolChoice: { type: "none" } };
}

function toMessage(message: ModelMessage, target: SdkTarget): SdkMessage[] {
  if (message.role === "user") return [{ role: "user", content: [{ type: "text", text: message.text }] }];
  if (message.role === "tool")
    return message.results.length === 0
      ? []
      : [{ role: "tool", content: message.results.map((result) => toResult(result, target)) }];
  const content = toAssistantParts(message, target);
  // Providers refuse an assistant message without content, which can be the result of a turn that was cut off or
  // refused.
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

function toAssistantParts(message: AssistantMessage, target: SdkTarget): SdkAssistantPart[] {
  const parts = findParts(message, target.model);
  if (parts === null) return [...toText(message.text), ...message.toolCalls.map((call) => toCall(call))];
  const calls = new Map(message.toolCalls.map((call) => [call.id, call]));
  return parts.flatMap((part): SdkAssistantPart[] => {
    if (part.type === "text") return toText(part.text, part.metadata);
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...toOptions(part.metadata) }];
    const call = calls.get(part.id);
    return call ? [toCall(call, part.metadata)] : [];
  });
}

function toText(text: string, metadata?: Metadata): SdkAssistantPart[] {
  return text === "" ? [] : [{ type: "text", text, ...toOptions(metadata) }];
}

function toCall(call: ToolCallRequest, metadata?: Metadata): SdkAssistantPart {
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: toWireName(call.name),
    input: call.arguments,
    ...toOptions(metadata),
  };
}

function toOptions(metadata: Metadata): Pick<SdkMessage, "providerOptions"> {
  return metadata ? { providerOptions: metadata as NonNullable<SdkMessage["providerOptions"]> } : {};
}

function toResult({ callId, name, status, output }: ToolResult, target: SdkTarget): SdkToolResultPart {
  const part = { type: "tool-result" as const, toolCallId: callId, toolName: toWireName(name) };
  if (status === "succeeded")
    return {
      ...part,
      output: typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output },
    };
  // Only Anthropic can mark a call as failed, so how it ended is always in the data as well.
  const hasStatus = output !== null && typeof output === "object" && !Array.isArray(output) && "status" in output;
  return {
    ...part,
    output: {
      type: target.type === "anthropic" ? "error-json" : "json",
      value: hasStatus ? output : { status, output },
    },
  };
}
