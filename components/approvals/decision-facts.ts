import type { ApprovalCard } from "@/lib/store/queries/find-card";
import type { RuleFacts } from "./consequences";

/** What the foot of a card needs to know of it. */
export interface DecisionFacts {
  approvalId: string;
  digest: string;
  tool: string;
  /** High and critical calls are approved only after all of it was on the screen. */
  needsSight: boolean;
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

export function toDecisionFacts(card: ApprovalCard, { nextHref, isPaused }: { nextHref: string; isPaused: boolean }): DecisionFacts {
  const { onReject, timeoutBehavior, triesLeft, minApprovals, approvals, stepKey, reach } = card;
  return {
    approvalId: card.id,
    digest: card.digest,
    tool: `${card.server}.${card.tool}`,
    needsSight: card.danger === "high" || card.danger === "critical",
    confirmWord: card.confirmWord,
    presets: card.rejectReasons,
    rule: { onReject, timeoutBehavior, triesLeft, minApprovals, approvals, stepKey, reach, hasExpiry: card.expiresAt !== null, isPaused, isRefusedNow: (card.stricter?.refusal ?? null) !== null },
    edit: card.edit,
    editClosed: card.edit !== null ? null : card.editable ? "someone has approved the arguments as they are." : "the rule does not let reviewers change the arguments.",
    expiresAt: card.expiresAt,
    now: card.now,
    nextHref,
  };
}
