import type { DecisionProblem } from "./decision";
import { joinNames } from "@/components/approvals/card/join-names";

/** Why a decision was not recorded. */
export interface ProblemWords {
  /** A sentence without its stop, because the time follows it where there is one. */
  what: string;
  at: string | null;
  /** Sentences that follow. */
  more: string[];
}

/**
 * What came first is described by the page, with the reader's clock; a refusal for another reason is shown as the
 * server says it.
 */
export function describeProblem({ why, message, issues, first }: DecisionProblem): ProblemWords {
  if (first === null)
    return { what: message.replace(/\.$/, ""), at: null, more: issues.filter((issue) => !message.includes(issue)) };
  const { by, verdict, at } = first;
  const unchanged = ["Nothing was changed."];
  switch (why) {
    case "expired":
      return { what: "It expired", at, more: unchanged };
    case "run_ended":
      return { what: "It was withdrawn", at, more: ["Its run ended, or the call is asked anew.", ...unchanged] };
    case "changed":
      return { what: "Someone else has changed them", at, more: ["Look again, then decide. Nothing was decided."] };
    case "decided_by_you":
      return { what: `You ${verdict ?? "decided"} it`, at, more: unchanged };
    default:
      return { what: `${by.length === 0 ? "Someone" : joinNames(by)} ${verdict ?? "decided"} it`, at, more: unchanged };
  }
}
