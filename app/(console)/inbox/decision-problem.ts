import type { DecisionAnswer } from "@/components/approvals/decision";
import type { KimitsuError } from "@/lib/errors";
import type { ApprovalView } from "@/lib/store/queries/get-approval";

/** Who decided, on what they saw, and when. */
interface Attempt {
  userId: string;
  digest: string;
  at: Date;
}

type Now = Pick<ApprovalView, "status" | "digest" | "expiresAt"> & { decisions: readonly { user: { id: string } }[] };

/** A refusal in the words of the card. `now` is the approval as it is after the refusal. */
export function toDecisionProblem(error: KimitsuError, now: Now | null, attempt: Attempt): DecisionAnswer {
  return { kind: "not_recorded", why: whyOf(error, now, attempt), message: error.message, issues: error.issues.map((issue) => issue.message) };
}

type Why = Extract<DecisionAnswer, { kind: "not_recorded" }>["why"];

function whyOf(error: KimitsuError, now: Now | null, { userId, digest, at }: Attempt): Why {
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
      // The database counts a call as expired in the moment its time is over; the sweep writes it down a little later.
      if (now.expiresAt !== null && now.expiresAt <= at) return "expired";
      return now.decisions.length > 0 ? "decided" : "invalid";
  }
}
