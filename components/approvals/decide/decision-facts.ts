import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import type { RuleFacts } from "@/components/approvals/card/consequences";
import type { Sight } from "@/components/approvals/card/seen";

/** What the foot of a card needs to know of it. */
export interface DecisionFacts {
  approvalId: string;
  digest: string;
  tool: string;
  /** What the reader must have seen before the call is approved. */
  sight: Sight;
  confirmWord: string | null;
  presets: readonly string[];
  rule: RuleFacts;
  edit: ApprovalCard["edit"];
  /** Why the arguments cannot be changed; null when they can. */
  editClosed: string | null;
  expiresAt: string | null;
  now: string;
  nextHref: string;
}

/**
 * High and critical calls are approved only after all of it was on the screen, any other only after what is folded was
 * opened.
 */
export const sightOf = ({ danger }: Pick<ApprovalCard, "danger">): Sight =>
  danger === "high" || danger === "critical" ? "seen" : "opened";

export function toDecisionFacts(
  card: ApprovalCard,
  { nextHref, isPaused }: { nextHref: string; isPaused: boolean },
): DecisionFacts {
  const { onReject, timeoutBehavior, triesLeft, minApprovals, approvals, stepKey, reach } = card;
  return {
    approvalId: card.id,
    digest: card.digest,
    tool: `${card.server}.${card.tool}`,
    sight: sightOf(card),
    confirmWord: card.confirmWord,
    presets: card.rejectReasons,
    rule: {
      onReject,
      timeoutBehavior,
      triesLeft,
      minApprovals,
      approvals,
      stepKey,
      reach,
      hasExpiry: card.expiresAt !== null,
      isPaused,
      isRefusedNow: (card.stricter?.refusal ?? null) !== null,
    },
    edit: card.edit,
    editClosed:
      card.edit !== null
        ? null
        : card.editable
          ? "someone has approved the arguments as they are."
          : "the rule does not let reviewers change the arguments.",
    expiresAt: card.expiresAt,
    now: card.now,
    nextHref,
  };
}
