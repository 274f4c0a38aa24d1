import { type ErrorOptions, KimitsuError } from "@/lib/errors";
import { metrics } from "@/lib/telemetry/metrics";

/** The limits that protect a process, as they are named in metrics. `requests` is counted by scripts/web.mjs. */
export type ProtectiveLimit =
  | "queue"
  | "request_rate"
  | "requests"
  | "database"
  | "streams"
  | "streams_per_person"
  | "exports_per_person";

/** A caller's own limit is the caller's fault (429); the process's limits are not (503). */
const CODES = {
  queue: "unavailable",
  request_rate: "rate_limited",
  requests: "unavailable",
  database: "unavailable",
  streams: "unavailable",
  streams_per_person: "rate_limited",
  exports_per_person: "rate_limited",
} as const;

/** Counts the refusal and returns the error to throw. */
export function refusalBy(
  limit: ProtectiveLimit,
  message: string,
  options: Required<Pick<ErrorOptions, "retryAfterS">>,
): KimitsuError {
  recordRefusal(limit);
  return new KimitsuError(CODES[limit], message, options);
}

export function recordRefusal(limit: ProtectiveLimit): void {
  metrics().refusals.inc({ limit });
}
