/** Converts a provider's refusal to ours: what kind it is, whether it may pass, and a message that is safe to show. */
import { readRetryAfterMs } from "./backoff";
import { cleanErrorText, type SentRequest } from "./clean-error-text";
import { ModelError, type ModelErrorKind } from "./model";

export interface FailedAnswer {
  model: string;
  status: number;
  headers: Headers;
  body: string;
  sent: SentRequest;
  now: Date;
}

/** The fields of a refusal, whichever provider wrote it. */
interface Refusal {
  code: string;
  text: string;
}

/** The provider's filter refused the request: an answer, although it came as an error. */
export class FilteredError extends Error {
  override readonly name = "FilteredError";
}

const FILTER_CODES = ["content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"];
const CREDIT_CODES = ["insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance"];
const LENGTH_CODES = ["context_length_exceeded", "request_too_large", "string_above_max_length"];
const LENGTH_TEXT =
  /prompt is too long|maximum context length|context (window|length)|input is too long|exceeds? the (model's )?context/i;

export function describeFailure(answer: FailedAnswer): ModelError | FilteredError {
  const refusal = readRefusal(answer.body);
  if (FILTER_CODES.includes(refusal.code)) return new FilteredError("refused by the provider's filter");
  const kind = chooseKind(answer.status, refusal);
  const code = /^[\w.-]{1,64}$/.test(refusal.code) ? ` (${refusal.code})` : "";
  // A provider's message about a key may contain parts of it.
  const text = kind === "unauthorized" ? "" : cleanErrorText(refusal.text, answer.sent);
  const retryAfterMs = readRetryAfterMs(answer.headers, answer.now);
  const reason = `${(text || MEANING[kind]).replace(/[.\s]+$/, "")}${ADVICE[kind] ?? ""}.`;
  return new ModelError({ kind, model: answer.model }, `${answer.model} answered ${answer.status}${code}: ${reason}`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    details: { status: answer.status },
  });
}

/**
 * Some servers, and OpenAI for a response that failed after it was accepted, put an error into an answer with status
 * 200. Null when the answer is none of these.
 */
export function findHiddenFailure(value: unknown): { status: number } | null {
  if (value === null || typeof value !== "object" || !("error" in value)) return null;
  const { error } = value;
  if (error === null || error === undefined || (typeof error !== "object" && typeof error !== "string")) return null;
  const { code } = readFields(error);
  if (/^\d{3}$/.test(code)) return { status: Number(code) };
  if (/rate_limit/.test(code)) return { status: 429 };
  return { status: /server_error|overloaded|timeout|unavailable/.test(code) ? 500 : 400 };
}

function chooseKind(status: number, { code, text }: Refusal): ModelErrorKind {
  if (status === 402 || CREDIT_CODES.includes(code) || /credit balance is too low/i.test(text)) return "no_credit";
  if (LENGTH_CODES.includes(code) || status === 413) return "context_too_long";
  if (status === 429) return "rate_limited";
  // 408 and 409 are a server that gave up waiting or a lock that was held: the request itself was not the cause.
  if (status === 408 || status === 409 || status === 425 || (status >= 500 && status !== 501)) return "overloaded";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "not_found";
  if (status < 400) return "misconfigured";
  return LENGTH_TEXT.test(text) ? "context_too_long" : "invalid_request";
}

const MEANING: Record<ModelErrorKind, string> = {
  rate_limited: "too many requests",
  overloaded: "the provider has a problem of its own",
  unreachable: "no whole answer arrived",
  timeout: "no answer in time",
  malformed: "the answer cannot be read",
  invalid_request: "the request was refused without a reason",
  context_too_long: "the conversation is longer than the model can read",
  unauthorized: "the key was not accepted or may not use this model",
  no_credit: "the account has no credit left",
  not_found: "there is no such model at this address",
  too_large: "the answer is too large",
  misconfigured: "redirects are not followed, so that keys stay at one address",
  script: "the script cannot be played",
};

const ADVICE: Partial<Record<ModelErrorKind, string>> = {
  unauthorized: "; check `api_key` of the provider in gateway.yaml",
  not_found: "; check `models` and `base_url` in gateway.yaml",
  misconfigured: "; set `base_url` to the address that answers",
};

function readRefusal(body: string): Refusal {
  try {
    const value: unknown = JSON.parse(body);
    if (value === null || typeof value !== "object") return { code: "", text: "" };
    const error: unknown = "error" in value && value.error ? value.error : value;
    return readFields(error);
  } catch {
    // A page of a proxy in between: its text is about the proxy, and its markup helps no one.
    return { code: "", text: "" };
  }
}

/** Anthropic: `type`, `message`. OpenAI: `code`, `type`, `message`. Ollama: the text alone. */
function readFields(error: unknown): Refusal {
  if (typeof error === "string") return { code: "", text: error };
  if (error === null || typeof error !== "object") return { code: "", text: "" };
  const { code, type, message, detail } = error as Record<string, unknown>;
  const named = [code, type].find((entry) => (typeof entry === "string" && entry !== "") || typeof entry === "number");
  return { code: String(named ?? ""), text: [message, detail].find((entry) => typeof entry === "string") ?? "" };
}
