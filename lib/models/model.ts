/**
 * The interface that every provider implements: one request, one turn. A provider keeps no conversation; what it needs
 * to know is in the messages, so that any process can ask for the next turn.
 */
import { KimitsuError } from "@/lib/errors";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface ToolCallRequest {
  /** The provider's own id of the call, unique within the conversation; its result must carry the same one. */
  id: string;
  /** As the model wrote it, so it may name a tool that was never offered. */
  name: string;
  /** Empty when the call is malformed. */
  arguments: JsonObject;
  /** Set when the model's arguments cannot be used. Such a call must not be made: it is answered with the problem. */
  malformed?: MalformedArguments;
}

export interface MalformedArguments {
  /** What the model wrote, shortened for display. */
  text: string;
  /** For the model: what is wrong, and what would be right. */
  problem: string;
}

/** How a call ended, with the names of the call's own states. Everything but `succeeded` is an error to a provider. */
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
  /**
   * What the final answer must fit. The same object on every turn of an agent; absent or null when any text is
   * accepted.
   */
  outputSchema?: JsonObject | null;
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

export interface Usage {
  /** All tokens of the request, cached ones included. */
  tokensIn: number;
  /** All tokens of the answer, reasoning included. */
  tokensOut: number;
  /** Of `tokensIn`: read from the provider's cache. */
  tokensInCacheRead?: number;
  /** Of `tokensIn`: written to the provider's cache. */
  tokensInCacheWrite?: number;
  /** Of `tokensOut`: spent on reasoning. */
  tokensOutReasoning?: number;
}

export interface ModelTurn {
  text: string;
  toolCalls: ToolCallRequest[];
  finishReason: FinishReason;
  usage: Usage;
  /** Settings of the request that this model does not take and that were left out, such as `temperature`. */
  ignoredSettings?: string[];
  /** What the provider needs back with the conversation (reasoning, signatures); stored without being interpreted. */
  raw?: Json;
}

export interface Model {
  /** `provider/model-id`, as in a model group. */
  readonly id: string;
  /** Rejects with a ModelError, or with the signal's reason when aborted. */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

/**
 * What may pass by itself: `rate_limited`, `overloaded` (also any fault of the provider's own), `unreachable` (no whole
 * answer arrived), `timeout`, `malformed` (an answer that cannot be read). What will not: `invalid_request`,
 * `context_too_long`, `unauthorized`, `no_credit`, `not_found`, `too_large` (the answer), `misconfigured` (gateway.yaml
 * or its variables) and `script` (the scripted model's own).
 */
export type ModelErrorKind =
  | "rate_limited"
  | "overloaded"
  | "unreachable"
  | "timeout"
  | "malformed"
  | "invalid_request"
  | "context_too_long"
  | "unauthorized"
  | "no_credit"
  | "not_found"
  | "too_large"
  | "misconfigured"
  | "script";

const TRANSIENT: readonly ModelErrorKind[] = ["rate_limited", "overloaded", "unreachable", "timeout", "malformed"];

/** One call of one model, whether it succeeded or not. Kept with the turn, so that a person sees what was tried. */
export interface ModelAttempt {
  model: string;
  /** Counts the calls of this model for this turn, from 1. */
  attempt: number;
  outcome: "succeeded" | ModelErrorKind;
  /** Null for a success. Free of keys, headers and the request. */
  message: string | null;
  durationMs: number;
  /** The wait before this call. */
  waitedMs: number;
}

export interface ModelErrorOptions {
  retryAfterMs?: number;
  attempts?: ModelAttempt[];
  details?: Record<string, unknown>;
  cause?: unknown;
}

export class ModelError extends KimitsuError {
  readonly kind: ModelErrorKind;
  readonly model: string;
  /** When the provider says to ask again. */
  readonly retryAfterMs: number | undefined;
  /** Every call that was made before giving up; empty for the failure of a single call. */
  readonly attempts: readonly ModelAttempt[];

  constructor(
    { kind, model }: { kind: ModelErrorKind; model: string },
    message: string,
    options: ModelErrorOptions = {},
  ) {
    super("model_failed", message, { details: { kind, model, ...options.details }, cause: options.cause });
    this.kind = kind;
    this.model = model;
    this.retryAfterMs = options.retryAfterMs;
    this.attempts = options.attempts ?? [];
  }

  /** True when the same request may succeed on another try. */
  get isTransient(): boolean {
    return TRANSIENT.includes(this.kind);
  }
}
