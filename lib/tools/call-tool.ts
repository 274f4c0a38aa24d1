/**
 * The one function that calls a tool. Whatever the way in, every call of every tool passes here, and nothing here sends a
 * call twice. Whether it may be made at all was decided before; here it is only made sure that it is the call that was meant.
 */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { canonicalizeArguments } from "@/lib/domain/digest";
import type { SecretMatcher } from "@/lib/domain/secret-matcher";
import { fingerprintTool, type ToolDefinition } from "@/lib/domain/tool-fingerprint";
import { type ServerAnswer, toErrorResult, type ToolResult, toToolResult } from "@/lib/domain/tool-result";
import { mapText } from "@/lib/domain/tool-text";
import { KimitsuError } from "@/lib/errors";
import { traceParent } from "@/lib/telemetry/span";
import { callContext, CallWatch } from "./call-watch";
import type { Connection } from "./connection";
import { describeFailure, findRefusal } from "./describe-failure";
import { LimitExceeded } from "./limit-body";
import { checkAgainstSchema } from "./schema-check";
import { CONNECT_TRIES, VERIFY_LIST_AGE_MAX_MS } from "./tool-limits";
import { ServerUnreachable, type ToolPool } from "./tool-pool";
import { hideSecrets, matchSecrets, type ToolServer } from "./tool-server";
import { untilAborted } from "./until-aborted";

export interface ToolCallRequest {
  tool: string;
  /** Sent as they are; for an approved call, the arguments that were shown. */
  arguments: Record<string, unknown>;
  /** The fingerprint of the definition that was judged. When the server's differs by now, nothing is sent. Null: not checked. */
  fingerprint: string | null;
  /** True: the definition is read anew for this call, although the list in hand is young. For what a person has looked at and let pass. */
  isListReread?: boolean;
  /** Sent as `_meta["dev.kimitsu/call_id"]`, by which a server can recognise a repetition. */
  callId: string;
  /** Asked at the last moment, with the connection open, before the bytes leave; false means that nothing is sent. */
  mayBeSent?: () => boolean;
  /** The server's own `timeout` when absent. Counts from the start, connecting included. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Why nothing was sent. Only `unreachable` and `timeout` may pass by themselves. */
export type NotSentReason = "unreachable" | "timeout" | "cancelled" | "definition_changed" | "tool_missing" | "refused";

export type ToolCallOutcome =
  /** The server has answered, or has said that it will not. The call is over. */
  | { kind: "answered"; result: ToolResult }
  /** Nothing left this process, so it is safe to try again; `retryable` says whether that may help. */
  | { kind: "not_sent"; reason: NotSentReason; retryable: boolean; error: KimitsuError }
  /** Bytes may have left and no answer came: nobody here knows whether it happened. Never tried again here. */
  | { kind: "unknown"; error: KimitsuError };

export const CALL_ID_META_KEY = "dev.kimitsu/call_id";

/** Made once: one for each call would have a stack of its own. */
const OVER = new DOMException("the call is over", "AbortError");

/** Never throws for anything a server does. */
export async function callTool(pool: ToolPool, server: ToolServer, request: ToolCallRequest): Promise<ToolCallOutcome> {
  const watch = new CallWatch(request.mayBeSent);
  const timeoutMs = request.timeoutMs ?? server.definition.timeout;
  const timer = setTimeout(() => watch.stop(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError")), timeoutMs);
  const cancel = () => watch.stop(new DOMException("the call was cancelled", "AbortError"));
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const matcher = matchSecrets(server);
  try {
    // What JSON would change on the way is not what was shown.
    canonicalizeArguments(request.arguments);
    return await tryUntilSent(watch, () =>
      pool.use(server, watch.signal, async (connection) => {
        const definition = await untilAborted(verify(connection, request), watch.signal);
        if ("kind" in definition) return definition;
        return { kind: "answered", result: toResult(await send(connection, watch, request, definition), definition, matcher) };
      }),
    );
  } catch (error) {
    return judgeFailure(error, { watch, server, request, matcher });
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", cancel);
    watch.stop(OVER);
  }
}

/** A connection that was thought to be good may turn out broken before anything is sent; then another one is tried. */
async function tryUntilSent(watch: CallWatch, attempt: () => Promise<ToolCallOutcome>): Promise<ToolCallOutcome> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isFinal = watch.isSent || watch.signal.aborted || findRefusal(error) !== null || tries >= CONNECT_TRIES;
      if (isFinal) throw error;
      watch.renew();
    }
  }
}

/** The definition by which the call was judged, or why the call is not made. */
async function verify(connection: Connection, { tool, fingerprint, isListReread }: ToolCallRequest): Promise<ToolDefinition | Extract<ToolCallOutcome, { kind: "not_sent" }>> {
  const { name } = connection.server.definition;
  const ageMaxMs = isListReread ? 0 : VERIFY_LIST_AGE_MAX_MS;
  const list = await connection.listTools(fingerprint === null ? connection.server.definition.refresh : ageMaxMs);
  const definition = list.tools.find((each) => each.name === tool);
  if (!definition) {
    const fault = list.refused.find((each) => each.name === tool);
    return notSent("tool_missing", new KimitsuError("tool_failed", `${name}.${tool} was not called: ${fault ? `it cannot be used, because ${fault.reason}` : "the server does not list it"}.`));
  }
  if (fingerprint === null || fingerprintTool(definition) === fingerprint) return definition;
  return notSent("definition_changed", new KimitsuError("conflict", `${name}.${tool} was not called: its definition is not the one that was judged.`));
}

async function send(connection: Connection, watch: CallWatch, request: ToolCallRequest, definition: ToolDefinition): Promise<ServerAnswer> {
  watch.signal.throwIfAborted();
  const params = { name: request.tool, arguments: request.arguments, _meta: { [CALL_ID_META_KEY]: request.callId, ...traceParent() } };
  // With a definition given, the client neither refreshes its list and calls again, nor throws a result away that does not fit.
  const toolDefinition = { name: definition.name, inputSchema: definition.inputSchema as { type: "object" } };
  // The watch keeps the time, from before the connection; the client's own clock must not end the call earlier.
  const calling = callContext.run(watch, () => connection.client.callTool(params, { toolDefinition, signal: watch.signal, timeout: 2 ** 31 - 1 }));
  try {
    return await Promise.race([calling, watch.failed]);
  } catch (error) {
    calling.catch(() => {});
    // The next call gets a connection of its own; others that wait on this one are left in peace.
    if (!(error instanceof ProtocolError) && !SAYS_NOTHING_OF_CONNECTION.has(watch.httpStatus ?? 0)) connection.retire();
    throw error;
  }
}

/** Refusals that concern this call alone. */
const SAYS_NOTHING_OF_CONNECTION = new Set([402, 409, 413, 422, 429]);

function toResult(answer: ServerAnswer, definition: ToolDefinition, matcher: SecretMatcher): ToolResult {
  const safe = mapText(answer, (text) => hideSecrets(matcher, text)) as ServerAnswer;
  const { content, ...cleaned } = judgeAnswer(answer, safe, definition, matcher);
  // Once more after cleaning: what takes control characters away may put a secret together again.
  return { ...(mapText(cleaned, (text) => hideSecrets(matcher, text)) as typeof cleaned), content };
}

function judgeAnswer(answer: ServerAnswer, safe: ServerAnswer, { name, outputSchema }: ToolDefinition, matcher: SecretMatcher): ToolResult {
  const result = toToolResult(safe);
  if (!outputSchema || result.is_error) return result;
  if (safe.structuredContent === undefined) return toErrorResult(`${name} has answered, and without the structured content that it promises. It may have done its work.`, safe);
  // What came is checked, not what is left of it after secrets were taken out.
  const verdict = checkAgainstSchema(outputSchema, answer.structuredContent);
  if (verdict.kind === "fits") return result;
  const fault = verdict.kind === "misfit" ? `a result that does not fit its output schema: ${hideSecrets(matcher, verdict.problems.join("; "))}` : `a result whose output schema cannot be applied: ${verdict.reason}`;
  return toErrorResult(`${name} has answered with ${fault}. It may have done its work.`, safe);
}

interface FailedCall {
  watch: CallWatch;
  server: ToolServer;
  request: ToolCallRequest;
  matcher: SecretMatcher;
}

function judgeFailure(error: unknown, { watch, server, request, matcher }: FailedCall): ToolCallOutcome {
  const name = `${server.definition.name}.${request.tool}`;
  const reason = describeFailure(error, matcher).replace(/\.$/, "");
  const fail = (text: string) => new KimitsuError("tool_failed", text, { cause: hideCause(error, matcher) });
  if (watch.isSent) {
    if (isAnswer(error, watch.httpStatus)) return { kind: "answered", result: toErrorResult(`${name}: ${reason}.`) };
    if (isUnusableAnswer(error, watch.httpStatus)) return { kind: "answered", result: toErrorResult(`${name} has answered in a way that cannot be used: ${reason}. It may have done its work.`) };
    return { kind: "unknown", error: fail(`It is not known whether ${name} was carried out: ${reason}.`) };
  }
  if (watch.signal.aborted) {
    const isTimeout = (watch.signal.reason as Error).name === "TimeoutError";
    return notSent(isTimeout ? "timeout" : "cancelled", fail(`${name} was not called: ${(watch.signal.reason as Error).message}.`));
  }
  const text = `${name} was not called: ${reason}.`;
  if (error instanceof ServerUnreachable) return error.isPassing ? notSent("unreachable", fail(text)) : notSent("refused", fail(text));
  return findRefusal(error) ? notSent("refused", fail(text)) : notSent("unreachable", fail(text));
}

function notSent(reason: NotSentReason, error: KimitsuError): Extract<ToolCallOutcome, { kind: "not_sent" }> {
  return { kind: "not_sent", reason, retryable: reason === "unreachable" || reason === "timeout", error };
}

/**
 * A JSON-RPC error is the server's word, and so is an HTTP status that says that the request was not taken. Not so 408, the
 * statuses of a server in trouble, and redirects that may follow upon work (301 to 303).
 */
function isAnswer(error: unknown, httpStatus: number | null): boolean {
  if (error instanceof ProtocolError) return true;
  return httpStatus === 307 || httpStatus === 308 || (httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408);
}

const UNUSABLE = new Set<string>([SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType, SdkErrorCode.ClientHttpUnexpectedContent]);

/** An answer came, with a status of success, but it is too large, not JSON, not MCP, or asks for what is not offered. */
function isUnusableAnswer(error: unknown, httpStatus: number | null): boolean {
  if (httpStatus !== null && httpStatus >= 300) return false;
  if (error instanceof LimitExceeded || (error instanceof SdkError && UNUSABLE.has(error.code))) return true;
  return error instanceof Error && (error.name === "SyntaxError" || error.name === "ZodError" || error.name === "$ZodError");
}

/** Causes are logged, and what a server says may repeat the credential that it was sent. */
function hideCause(error: unknown, matcher: SecretMatcher): Error {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Error(hideSecrets(matcher, text));
}
