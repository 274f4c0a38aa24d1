/**
 * What one caller may ask of this process, and when the process accepts nothing more. Kept in memory per process: the
 * limits protect the process and are not a quota. How many requests are processed at once is limited before this, in
 * scripts/web.mjs, which also serves pages and files.
 */
import { DATABASE_WAITING_MAX, OVERLOAD_RETRY_AFTER_S, REQUEST_BURST_S } from "@/lib/limits";
import { env } from "@/lib/env";
import { refusalBy } from "@/lib/telemetry/record-refusal";

/** What a caller has left, and at which time; it refills over time. */
interface Bucket {
  left: number;
  at: number;
}

/** Callers are forgotten once they have a full burst again; beyond this number the list is pruned. */
const CALLERS_KEPT = 10_000;

// One instance for all bundles of the process.
const kept = globalThis as typeof globalThis & { __kimitsuCallers?: Map<string, Bucket> };
const callers = (): Map<string, Bucket> => (kept.__kimitsuCallers ??= new Map());

/** Counts a request against its caller's rate. Throws `rate_limited` past it. */
export function countRequest(caller: string, nowMs = performance.now()): void {
  const perSecond = env.KIMITSU_REQUESTS_PER_SECOND;
  const most = perSecond * REQUEST_BURST_S;
  const known = callers().get(caller);
  const left = known ? Math.min(most, known.left + ((nowMs - known.at) / 1000) * perSecond) : most;
  if (left < 1) {
    throw refusalBy(
      "request_rate",
      `More than ${perSecond} requests per second came from this token or person; this one was not looked at. Send fewer, or try again in 1 s.`,
      { retryAfterS: 1 },
    );
  }
  if (!known && callers().size >= CALLERS_KEPT) forgetIdle(nowMs);
  callers().set(caller, { left: left - 1, at: nowMs });
}

function forgetIdle(nowMs: number): void {
  for (const [caller, { at }] of callers()) if (nowMs - at >= REQUEST_BURST_S * 1000) callers().delete(caller);
}

/** Throws `unavailable` when the database does not keep up: one more request would only make all others wait longer. */
export function refuseWhenDatabaseIsBehind(waiting: number): void {
  if (waiting <= DATABASE_WAITING_MAX) return;
  throw refusalBy(
    "database",
    `The database does not keep up: ${waiting} statements of this process wait for a connection. This request was not looked at; try again in ${OVERLOAD_RETRY_AFTER_S} s.`,
    { retryAfterS: OVERLOAD_RETRY_AFTER_S },
  );
}
