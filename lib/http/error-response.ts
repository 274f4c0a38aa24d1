import { type Issue, KimitsuError } from "@/lib/errors";
import { DATABASE_AWAY_RETRY_AFTER_S } from "@/lib/limits";
import { log } from "@/lib/log";
import { isDatabaseAway } from "@/lib/database/database-away";

export interface ErrorBody {
  error: { code: string; message: string; request_id: string; issues: Issue[] };
}

/**
 * The one shape of errors. What is not a KimitsuError is a fault of ours: the log gets it, the caller gets the request
 * id. `mayHaveChanged` says whether a change was in progress, whose outcome is unknown when the database fails.
 */
export function errorResponse(error: unknown, requestId: string, mayHaveChanged = false): Response {
  const known = toKnown(error, requestId, mayHaveChanged);
  // A temporary refusal is counted where it is made; logging each one would add load to an overloaded process.
  if (known.httpStatus >= 500 && known.retryAfterS === undefined)
    log.error({ request_id: requestId, err: known.cause ?? known, details: known.details }, "request failed");
  const body: ErrorBody = {
    error: { code: known.code, message: known.message, request_id: requestId, issues: known.issues },
  };
  const headers: Record<string, string> = { "cache-control": "no-store", "x-request-id": requestId };
  if (known.retryAfterS !== undefined) headers["retry-after"] = String(known.retryAfterS);
  if (known.code === "unauthorized") headers["www-authenticate"] = 'Bearer realm="kimitsu"';
  return Response.json(body, { status: known.httpStatus, headers });
}

function toKnown(error: unknown, requestId: string, mayHaveChanged: boolean): KimitsuError {
  if (error instanceof KimitsuError) return error;
  if (!isDatabaseAway(error))
    return new KimitsuError("internal", `Something went wrong here; it is in the log under ${requestId}.`, {
      cause: error,
    });
  log.warn({ request_id: requestId, err: error }, "the database was away when a request needed it");
  const outcome = mayHaveChanged
    ? "Whether the change was made is not known: look before you send it again, or send it again with the same Idempotency-Key."
    : "Nothing was changed.";
  return new KimitsuError(
    "unavailable",
    `The database cannot be reached. ${outcome} Try again in ${DATABASE_AWAY_RETRY_AFTER_S} s.`,
    { retryAfterS: DATABASE_AWAY_RETRY_AFTER_S, cause: error },
  );
}
