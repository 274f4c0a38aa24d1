/** One error for a group of which no model answered. */
import { type ModelAttempt, ModelError, type ModelErrorKind } from "./model";

const OF_THIS_MODEL_ONLY: readonly ModelErrorKind[] = [
  "context_too_long",
  "unauthorized",
  "no_credit",
  "not_found",
  "too_large",
  "misconfigured",
];

/** True when another model may answer the same request. */
export function isOfThisModelOnly(error: ModelError): boolean {
  return OF_THIS_MODEL_ONLY.includes(error.kind);
}

/**
 * The error takes the kind of the failure that decides what to do next: one that rules out asking further models, else
 * one that may pass (asking later can help then), else the last. Its retry time is that of the model that is ready
 * first.
 */
export function describeGroupFailure(
  group: string,
  failures: readonly ModelError[],
  attempts: ModelAttempt[],
): ModelError {
  const last = failures.at(-1);
  if (!last) throw new Error("unreachable: a group without models failed");
  const isStopped = !last.isTransient && !isOfThisModelOnly(last);
  const decisive = isStopped ? last : (failures.findLast((failure) => failure.isTransient) ?? last);
  const waits = failures.flatMap((failure) =>
    failure.isTransient && failure.retryAfterMs !== undefined ? [failure.retryAfterMs] : [],
  );
  const message =
    failures.length === 1
      ? `${last.message}${describeTries(last, attempts)}`
      : `No model of the group ${group} answered. ${failures.map((failure) => `${failure.message}${describeTries(failure, attempts)}`).join(" ")}`;
  return new ModelError({ kind: decisive.kind, model: decisive.model }, message, {
    attempts,
    details: { ...decisive.details, group, tries: attempts.length },
    ...(decisive.isTransient && waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
  });
}

function describeTries({ model }: ModelError, attempts: readonly ModelAttempt[]): string {
  const tries = attempts.filter((attempt) => attempt.model === model).length;
  return tries > 1 ? ` Tried ${tries} times.` : "";
}
