import type { CameFirst, DecisionProblem } from "@/components/approvals/decide/decision";
import type { KimitsuError } from "@/lib/errors";
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";

/** Who decided, on what they saw, and when. */
interface Attempt {
  userId: string;
  digest: string;
  at: Date;
}

type Now = Pick<ApprovalView, "status" | "digest" | "expiresAt" | "decidedAt"> & {
  decisions: readonly Pick<ApprovalView["decisions"][number], "user" | "verdict" | "at">[];
};

/** A refusal as the card shows it. `now` is the approval as it is after the refusal. */
export function toDecisionProblem(error: KimitsuError, now: Now | null, attempt: Attempt): DecisionProblem {
  const why = whyOf(error, now, attempt);
  const first = now && cameFirst(why, now, attempt);
  // A message of the server contains ids and times outside the reader's time zone.
  return {
    kind: "not_recorded",
    why,
    message: first ? "" : error.message,
    issues: first ? [] : error.issues.map((issue) => issue.message),
    first,
  };
}

function whyOf(error: KimitsuError, now: Now | null, { userId, digest, at }: Attempt): DecisionProblem["why"] {
  if (error.code === "forbidden") return "forbidden";
  if (error.code !== "conflict" || now === null) return "invalid";
  // In another tab, or by a token of theirs.
  const isOwn = now.decisions.some(({ user }) => user.id === userId);
  switch (now.status) {
    case "expired":
      return "expired";
    case "cancelled":
      return "run_ended";
    case "approved":
    case "rejected":
      return isOwn ? "decided_by_you" : "decided";
    case "pending":
      if (isOwn) return "decided_by_you";
      if (now.digest !== digest) return "changed";
      // The database counts a call as expired at the moment its time is over; the sweep records it a little later.
      if (now.expiresAt !== null && now.expiresAt <= at) return "expired";
      return now.decisions.length > 0 ? "decided" : "invalid";
  }
}

/**
 * Null where nothing came first, or where it does not matter: another person's approval of a call that still waits is
 * covered by the server's refusal.
 */
function cameFirst(why: DecisionProblem["why"], now: Now, { userId, at }: Attempt): CameFirst | null {
  const facts = (by: string[], verdict: CameFirst["verdict"], when: Date | null): CameFirst => ({
    by,
    verdict,
    at: when?.toISOString() ?? null,
    now: at.toISOString(),
  });
  const own = now.decisions.find(({ user }) => user.id === userId);
  switch (why) {
    case "expired":
      return facts([], null, now.decidedAt ?? now.expiresAt);
    case "run_ended":
      return facts([], null, now.decidedAt);
    case "changed":
      return facts([], null, null);
    case "decided_by_you":
      return own ? facts([], own.verdict, own.at) : null;
    case "decided":
      if (now.status !== "approved" && now.status !== "rejected") return null;
      return facts(
        now.decisions.filter(({ verdict }) => verdict === now.status).map(({ user }) => user.name),
        now.status,
        now.decidedAt,
      );
    default:
      return null;
  }
}
