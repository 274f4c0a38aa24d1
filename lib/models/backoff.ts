/** How long to wait before a model is asked again. Pure: the clock and chance are arguments. */
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, RETRY_AFTER_WAIT_MAX_MS } from "./limits";

/**
 * The wait after the `failures`-th failure in a row: doubling, with up to half of it random, so that workers that
 * failed together do not retry together. The delay that a provider asks for is a lower bound. Null when it is too long
 * to wait for.
 */
export function chooseWaitMs({
  failures,
  retryAfterMs,
  random,
}: {
  failures: number;
  retryAfterMs: number | undefined;
  random: () => number;
}): number | null {
  if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_WAIT_MAX_MS) return null;
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
  const jittered = Math.round(full / 2 + (full / 2) * random());
  return Math.max(jittered, retryAfterMs ?? 0);
}

/** `retry-after-ms`, else `retry-after` as seconds or as a date. Undefined when there is none or it makes no sense. */
export function readRetryAfterMs(headers: Headers, now: Date): number | undefined {
  const exact = readNumber(headers.get("retry-after-ms"));
  if (exact !== undefined) return exact;
  const text = headers.get("retry-after");
  const seconds = readNumber(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  // Date.parse reads a bare "-5" as a year; an HTTP date always begins with the name of a day.
  const at = text !== null && /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
