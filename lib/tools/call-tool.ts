/**
 * The one function that calls a tool. Every call of every tool passes here, whatever started it, and nothing here sends
 * a call twice. Whether it may be made was decided before; this only makes sure that it is the intended call.
 */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { canonicalizeArguments } from "@/lib/text/digest";
import type { SecretMatcher } from "@/lib/text/secret-matcher";
import { isRefusingCode, isRefusingStatus } from "@/lib/tools/rules/proves-nothing-happened";
import { fingerprintTool, type ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { type ServerAnswer, toErrorResult, type ToolResult, toToolResult } from "@/lib/tools/rules/tool-result";
import { cleanText, mapText } from "@/lib/text/tool-text";
import { KimitsuError } from "@/lib/errors";
import { traceParent } from "@/lib/telemetry/span";
import { callContext, CallWatch } from "./call-watch";
import type { Connection } from "./connection";
import { describeFailure, findRefusal } from "./describe-failure";
import { LimitExceeded } from "./limit-body";
import type { ToolList } from "./list-tools";
import { checkAgainstSchema } from "./schema-check";
import { CONNECT_TRIES, VERIFY_LIST_AGE_MAX_MS } from "./tool-limits";
import { ServerUnreachable, type ToolPool } from "./tool-pool";
import { hideSecrets, isForCallsAlone, matchSecrets, type ToolServer } from "./tool-server";
import { untilAborted } from "./until-aborted";

export interface ToolCallRequest {
  tool: string;
  /** Sent as they are; for an approved call, the arguments that were shown. */
  arguments: Record<string, unknown>;
  /**
   * The fingerprint of the definition that was judged. If the server's differs by now, nothing is sent. Null: not
   * checked.
   */
  fingerprint: string | null;
  /**
   * True: the definition is read again for this call, even if the known list is recent. For calls that a person has
   * approved.
   */
  isListReread?: boolean;
  /** Sent as `_meta["dev.kimitsu/call_id"]`, by which a server can recognise a repetition. */
  callId: string;
  /** Checked at the last moment, with the connection open, before any byte leaves; false means that nothing is sent. */
  mayBeSent?: () => boolean;
  /** The server's own `timeout` when absent. Counted from the start, including connecting. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Why nothing was sent. Only `unreachable` and `timeout` may be temporary. */
export type NotSentReason = "unreachable" | "timeout" | "cancelled" | "definition_changed" | "tool_missing" | "refused";

export type ToolCallOutcome =
  /** The server has answered, or its refusal proves that nothing happened. The call is over. */
  | { kind: "answered"; result: ToolResult }
  /** Nothing left this process, so it is safe to try again; `retryable` says whether that may help. */
  | { kind: "not_sent"; reason: NotSentReason; retryable: boolean; error: KimitsuError }
  /**
   * Bytes may have left, and the answer, if any, does not prove that nothing happened. Never retried here; `retryable`
   * says whether another try may help where it is harmless, `reason` what went wrong. `result` is the server's answer
   * when it is readable but not reliable.
   */
  | { kind: "unknown"; retryable: boolean; reason: string; error: KimitsuError; result?: ToolResult };

export const CALL_ID_META_KEY = "dev.kimitsu/call_id";

/** Created once, because each new one would capture a stack trace. */
const OVER = new DOMException("the call is over", "AbortError");

/** Never throws for anything a server does. */
export async function callTool(pool: ToolPool, server: ToolServer, request: ToolCallRequest): Promise<ToolCallOutcome> {
  const watch = new CallWatch(request.mayBeSent);
  const timeoutMs = request.timeoutMs ?? server.definition.timeout;
  const timer = setTimeout(
    () => watch.stop(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError")),
    timeoutMs,
  );
  const cancel = () => watch.stop(new DOMException("the call was cancelled", "AbortError"));
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const matcher = matchSecrets(server);
  const sent: { definition: ToolDefinition | null } = { definition: null };
  try {
    // Arguments that JSON would change in transit are not what was shown.
    canonicalizeArguments(request.arguments);
    return await tryUntilSent(watch, async () => {
      // If the list is read without the credential, the credential is sent only once the definition is known to be
      // right.
      const before = isForCallsAlone(server)
        ? await verify(server, request, (ageMaxMs) => pool.listTools(server, { ageMaxMs, signal: watch.signal }))
        : null;
      if (before && "kind" in before) return before;
      return pool.use(server, watch.signal, async (connection) => {
        const definition =
          before ??
          (await untilAborted(
            verify(server, request, (ageMaxMs) => connection.listTools(ageMaxMs)),
            watch.signal,
          ));
        if ("kind" in definition) return definition;
        sent.definition = definition;
        return judgeAnswer(await send(connection, watch, { request, definition }), {
          name: `${server.definition.name}.${request.tool}`,
          definition,
          matcher,
        });
      });
    });
  } catch (error) {
    return judgeFailure(error, {
      watch,
      server,
      request,
      matcher,
      hasOutputSchema: sent.definition?.outputSchema !== undefined,
    });
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", cancel);
    watch.stop(OVER);
  }
}

/** A connection that seemed good may turn out broken before anything is sent; then another one is tried. */
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
async function verify(
  { definition: { name, refresh } }: ToolServer,
  { tool, fingerprint, isListReread }: ToolCallRequest,
  listTools: (ageMaxMs: number) => Promise<ToolList>,
): Promise<ToolDefinition | Extract<ToolCallOutcome, { kind: "not_sent" }>> {
  const ageMaxMs = isListReread ? 0 : VERIFY_LIST_AGE_MAX_MS;
  const list = await listTools(fingerprint === null ? refresh : ageMaxMs);
  const definition = list.tools.find((each) => each.name === tool);
  if (!definition) {
    const fault = list.refused.find((each) => each.name === tool);
    return notSent(
      "tool_missing",
      new KimitsuError(
        "tool_failed",
        `${name}.${tool} was not called: ${fault ? `it cannot be used, because ${fault.reason}` : "the server does not list it"}.`,
      ),
    );
  }
  if (fingerprint === null || fingerprintTool(definition) === fingerprint) return definition;
  return notSent(
    "definition_changed",
    new KimitsuError("conflict", `${name}.${tool} was not called: its definition is not the one that was judged.`),
  );
}

async function send(
  connection: Connection,
  watch: CallWatch,
  { request, definition }: { request: ToolCallRequest; definition: ToolDefinition },
): Promise<ServerAnswer> {
  watch.signal.throwIfAborted();
  const params = {
    name: request.tool,
    arguments: request.arguments,
    _meta: { [CALL_ID_META_KEY]: request.callId, ...traceParent() },
  };
  // With a definition given, the client neither refreshes its list and calls again, nor discards a result that does not
  // fit.
  const toolDefinition = { name: definition.name, inputSchema: definition.inputSchema as { type: "object" } };
  // The watch measures the time, from before connecting; the client's own timeout must not end the call earlier.
  const calling = callContext.run(watch, () =>
    connection.client.callTool(params, { toolDefinition, signal: watch.signal, timeout: 2 ** 31 - 1 }),
  );
  try {
    return await Promise.race([calling, watch.failed]);
  } catch (error) {
    calling.catch(() => {});
    // The next call gets its own connection; others that wait on this one are not disturbed.
    if (!(error instanceof ProtocolError) && !SAYS_NOTHING_OF_CONNECTION.has(watch.httpStatus ?? 0))
      connection.retire();
    throw error;
  }
}

/** Refusals that concern this call alone. */
const SAYS_NOTHING_OF_CONNECTION = new Set([402, 409, 413, 422, 429]);

interface AnsweredCall {
  name: string;
  definition: ToolDefinition;
  matcher: SecretMatcher;
}

/**
 * A result that does not fit the tool's schema is not relied upon: the tool has answered, but the outcome is unknown.
 */
function judgeAnswer(answer: ServerAnswer, { name, definition, matcher }: AnsweredCall): ToolCallOutcome {
  const safe = mapText(answer, (text) => hideSecrets(matcher, text)) as ServerAnswer;
  const { content, ...cleaned } = toToolResult(safe);
  // Again after cleaning, because removing control characters may reassemble a secret.
  const result: ToolResult = { ...(mapText(cleaned, (text) => hideSecrets(matcher, text)) as typeof cleaned), content };
  // Checks the answer as received, not what is left after secrets were removed.
  const problem = result.is_error ? null : findSchemaViolation(answer, definition);
  if (problem === null) return { kind: "answered", result };
  const reason = hideSecrets(matcher, cleanText(hideSecrets(matcher, problem)));
  const error = new KimitsuError(
    "tool_failed",
    `${name} has answered, and its answer cannot be used: ${reason}. It may have done its work.`,
  );
  return { kind: "unknown", retryable: false, reason, error, result };
}

function findSchemaViolation(answer: ServerAnswer, { outputSchema }: ToolDefinition): string | null {
  if (!outputSchema) return null;
  if (answer.structuredContent === undefined) return "the structured content that it promises is missing";
  const verdict = checkAgainstSchema(outputSchema, answer.structuredContent);
  if (verdict.kind === "fits") return null;
  return verdict.kind === "violation"
    ? `its result does not fit its output schema: ${verdict.problems.join("; ")}`
    : `its output schema cannot be applied: ${verdict.reason}`;
}

interface FailedCall {
  watch: CallWatch;
  server: ToolServer;
  request: ToolCallRequest;
  matcher: SecretMatcher;
  hasOutputSchema: boolean;
}

function judgeFailure(
  error: unknown,
  { watch, server, request, matcher, hasOutputSchema }: FailedCall,
): ToolCallOutcome {
  const name = `${server.definition.name}.${request.tool}`;
  const reason = describeFailure(error, matcher).replace(/\.$/, "");
  const fail = (text: string) => new KimitsuError("tool_failed", text, { cause: hideCause(error, matcher) });
  if (watch.isSent) {
    if (isRefusal(error, watch.httpStatus, hasOutputSchema))
      return { kind: "answered", result: toErrorResult(`${name}: ${reason}.`) };
    return {
      kind: "unknown",
      retryable: !isUnusable(error, watch.httpStatus),
      reason,
      error: fail(`It is not known whether ${name} was carried out: ${reason}.`),
    };
  }
  if (watch.signal.aborted) {
    const isTimeout = (watch.signal.reason as Error).name === "TimeoutError";
    return notSent(
      isTimeout ? "timeout" : "cancelled",
      fail(`${name} was not called: ${(watch.signal.reason as Error).message}.`),
    );
  }
  const text = `${name} was not called: ${reason}.`;
  if (error instanceof ServerUnreachable)
    return error.isPassing ? notSent("unreachable", fail(text)) : notSent("refused", fail(text));
  return findRefusal(error) ? notSent("refused", fail(text)) : notSent("unreachable", fail(text));
}

function notSent(reason: NotSentReason, error: KimitsuError): Extract<ToolCallOutcome, { kind: "not_sent" }> {
  return { kind: "not_sent", reason, retryable: reason === "unreachable" || reason === "timeout", error };
}

/**
 * Whether the server's answer to this call proves that nothing was done. A server that asks for input starts over when
 * it gets it.
 */
function isRefusal(error: unknown, httpStatus: number | null, hasOutputSchema: boolean): boolean {
  if (error instanceof ProtocolError) return isRefusingCode(error.code, { hasOutputSchema });
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return (error.data as { resultType?: unknown } | undefined)?.resultType === "input_required";
  return isRefusingStatus(httpStatus);
}

const UNUSABLE = new Set<string>([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
]);

/** Whether the server has answered completely, and would answer the same way again: too large, or not MCP. */
function isUnusable(error: unknown, httpStatus: number | null): boolean {
  if (httpStatus !== null && httpStatus >= 300) return false;
  return error instanceof LimitExceeded || (error instanceof SdkError && UNUSABLE.has(error.code));
}

/** Causes are logged, and a server's text may repeat the credential that it was sent. */
function hideCause(error: unknown, matcher: SecretMatcher): Error {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Error(hideSecrets(matcher, text));
}
