import type { DecisionAnswer } from "@/components/approvals/decision";
import type { KimitsuError } from "@/lib/errors";
import type { ApprovalView } from "@/lib/store/queries/get-approval";

/** A refusal in the words of the card. `now` is the approval as it is after the refusal. */
export function toDecisionProblem(error: KimitsuError, now: Pick<ApprovalView, "status" | "digest"> | null, digest: string): DecisionAnswer {
  return { kind: "not_recorded", why: whyOf(error, now, digest), message: error.message, issues: error.issues.map((issue) => issue.message) };
}

type Why = Extract<DecisionAnswer, { kind: "not_recorded" }>["why"];

function whyOf(error: KimitsuError, now: Pick<ApprovalView, "status" | "digest"> | null, digest: string): Why {
  if (error.code === "forbidden") return "forbidden";
  if (error.code !== "conflict" || now === null) return "invalid";
  switch (now.status) {
    case "expired":
      return "expired";
    case "cancelled":
      return "run_ended";
    case "approved":
    case "rejected":
      return "decided";
    case "pending":
      // The database counts a call as expired in the moment its time is over; the sweep writes it down a little later.
      return now.digest !== digest ? "changed" : /expired/.test(error.message) ? "expired" : "decided";
  }
}
