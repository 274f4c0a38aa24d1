/**
 * What a failure to reach a server means, in text that may be shown: without secrets, bounded, without hidden
 * characters.
 */
import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import type { SecretMatcher } from "@/lib/text/secret-matcher";
import { cleanText } from "@/lib/text/tool-text";
import { KimitsuError } from "@/lib/errors";
import { ServerEnded } from "./call-watch";
import { RestartDelayed } from "./restart-gate";
import { hideSecrets } from "./tool-server";

const MESSAGE_LENGTH_MAX = 500;
const PASSING_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);
const PASSING_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
]);

/** The error and its causes, outermost first. The SDK keeps causes in two places. */
export function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && causes.length < 8;) {
    causes.push(next);
    const { cause, data } = next as { cause?: unknown; data?: { cause?: unknown } };
    next = cause ?? data?.cause;
  }
  return causes;
}

/** Whether trying again later may help: the network, a busy server, a slow one. */
export function isPassing(error: unknown): boolean {
  return listCauses(error).some((cause) => {
    if (cause instanceof KimitsuError) return false;
    if (cause instanceof ServerEnded || cause instanceof RestartDelayed) return true;
    if (cause instanceof SdkHttpError) return PASSING_STATUS.has(cause.data.status ?? 0);
    if (
      cause instanceof SdkError &&
      (cause.code === SdkErrorCode.RequestTimeout || cause.code === SdkErrorCode.ConnectionClosed)
    )
      return true;
    const { code, name } = cause as { code?: unknown; name?: unknown };
    return name === "TimeoutError" || (typeof code === "string" && PASSING_CODES.has(code));
  });
}

/** The refusal by our own rules inside an error, if that is what stopped it. */
export function findRefusal(error: unknown): KimitsuError | null {
  return (listCauses(error).find((cause) => cause instanceof KimitsuError) as KimitsuError | undefined) ?? null;
}

/** Secrets are searched for twice: one with a control character inside is recognisable only after cleaning. */
export function describeFailure(error: unknown, matcher: SecretMatcher): string {
  const refusal = findRefusal(error);
  const root = refusal ?? listCauses(error).at(-1);
  const text = root instanceof Error ? describeKnown(root) : String(root);
  return hideSecrets(matcher, cleanText(hideSecrets(matcher, text))).slice(0, MESSAGE_LENGTH_MAX);
}

function describeKnown(error: Error): string {
  if (error instanceof SdkHttpError)
    return `it answers HTTP ${error.data.status}${error.data.text ? `: ${error.data.text}` : ""}`;
  if (error.name === "TimeoutError") return "it did not answer in time";
  // An error of several attempts, one per address, has no message of its own.
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join("; ");
  return error.message || error.name;
}
