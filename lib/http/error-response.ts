import { type Issue, KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";

export interface ErrorBody {
  error: { code: string; message: string; request_id: string; issues: Issue[] };
}

/** The one shape of errors. What is not a KimitsuError is a fault of ours: the log gets it, the caller gets the request id. */
export function errorResponse(error: unknown, requestId: string): Response {
  const known = error instanceof KimitsuError ? error : new KimitsuError("internal", `Something went wrong here; it is in the log under ${requestId}.`, { cause: error });
  // A refusal that passes by itself is counted where it is made; a line for each would be one more thing to do for a process that has too much.
  if (known.httpStatus >= 500 && known.retryAfterS === undefined) log.error({ request_id: requestId, err: known.cause ?? known, details: known.details }, "request failed");
  const body: ErrorBody = { error: { code: known.code, message: known.message, request_id: requestId, issues: known.issues } };
  const headers: Record<string, string> = { "cache-control": "no-store", "x-request-id": requestId };
  if (known.retryAfterS !== undefined) headers["retry-after"] = String(known.retryAfterS);
  if (known.code === "unauthorized") headers["www-authenticate"] = 'Bearer realm="kimitsu"';
  return Response.json(body, { status: known.httpStatus, headers });
}
