/**
 * The narrow interface behind which every provider stands: one request, one turn. A provider keeps no conversation;
 * what it needs to know is in the messages, so that any process can ask for the next turn.
 */
import { KimitsuError } from "@/lib/errors";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface ToolCallRequest {
  /** The provider's own id of the call, unique within the conversation; its result must carry the same one. */
  id: string;
  /** As the model wrote it, so it may name a tool that was never offered. */
  name: string;
  arguments: JsonObject;
}

/** How a call ended, in the words of the call's own states. Everything but `succeeded` is an error to a provider. */
export type ToolResultStatus = "succeeded" | "failed" | "denied" | "rejected" | "expired" | "cancelled";

export interface ToolResult {
  callId: string;
  name: string;
  status: ToolResultStatus;
  /** Text goes to the provider as text, anything else as JSON. */
  output: Json;
}

export interface UserMessage {
  role: "user";
  text: string;
}

export interface AssistantMessage {
  role: "assistant";
  text: string;
  toolCalls: ToolCallRequest[];
  /** `raw` of the turn this message was made from: some providers refuse a conversation whose reasoning is missing. */
  raw?: Json;
}

/** All results of the turn before, one for each of its calls, in the order of the calls. */
export interface ToolMessage {
  role: "tool";
  results: ToolResult[];
}

export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

export interface ModelTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

export interface ModelRequest {
  system: string;
  messages: ModelMessage[];
  /** Empty on a turn that must conclude. */
  tools: ModelTool[];
  maxTokens: number | null;
  temperature: number | null;
  metadata: {
    agent: string;
    runId: string;
    stepId: string;
    /** 1 for the first turn of the step. */
    turn: number;
    /** 1 (and when absent) for the first try of this turn; a retry after a provider's failure counts up. */
    attempt?: number;
  };
}

/** `length`: cut at the token limit. `refused`: the provider's filter or the model declined. */
export type FinishReason = "stop" | "tool_calls" | "length" | "refused" | "other";

export interface ModelTurn {
  text: string;
  toolCalls: ToolCallRequest[];
  finishReason: FinishReason;
  usage: { tokensIn: number; tokensOut: number };
  /** What the provider wants back with the conversation (reasoning, signatures), kept without being understood. */
  raw?: Json;
}

export interface Model {
  /** `provider/model-id`, as in a model group. */
  readonly id: string;
  /** Rejects with a ModelError, or with the signal's reason when aborted. */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

/**
 * `rate_limited`, `overloaded`, `unreachable`, `malformed` may pass by themselves; `invalid_request`, `unauthorized` and
 * `script` (the scripted model's own) will not.
 */
export type ModelErrorKind = "rate_limited" | "overloaded" | "unreachable" | "malformed" | "invalid_request" | "unauthorized" | "script";

const TRANSIENT: readonly ModelErrorKind[] = ["rate_limited", "overloaded", "unreachable", "malformed"];

export class ModelError extends KimitsuError {
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind: ModelErrorKind,
    readonly model: string,
    message: string,
    options: { retryAfterMs?: number; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super("model_failed", message, { details: { kind, model, ...options.details }, cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  /** True when the same request may succeed on another try. */
  get isTransient(): boolean {
    return TRANSIENT.includes(this.kind);
  }
}
