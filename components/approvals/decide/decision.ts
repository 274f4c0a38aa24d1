/** What the card and the server exchange when a person decides. Plain data. */
import { isOnline } from "@/components/ui/online";
import type { EditPreview } from "@/lib/approvals/view/preview-edit";

/** A change of one named argument; without a value it is taken out. */
export type ArgumentEdit = { name: string; value: unknown } | { name: string; remove: true };

export interface DecisionRequest {
  approvalId: string;
  /** Of the arguments that were on the screen. */
  digest: string;
  verdict: "approved" | "rejected";
  reason?: string;
  /** Said with an approval, for the record. */
  comment?: string;
  /** What was typed before a critical call. */
  confirm?: string;
  edits?: ArgumentEdit[];
}

/** What happened before a decision, as data: the page writes the text, with the reader's clock. */
export interface CameFirst {
  by: string[];
  verdict: "approved" | "rejected" | null;
  at: string | null;
  /** The server's clock at the time of the answer. */
  now: string;
}

export interface DecisionProblem {
  kind: "not_recorded";
  why: "expired" | "decided" | "decided_by_you" | "run_ended" | "changed" | "forbidden" | "invalid" | "offline";
  /** Null when it was refused for another reason; then the message says why. */
  first: CameFirst | null;
  message: string;
  issues: string[];
}

export type DecisionAnswer =
  | { kind: "recorded"; status: "approved" | "rejected" | "pending" }
  | DecisionProblem
  /** The answer was lost, or the server failed midway. */
  | { kind: "uncertain"; message: string };

export type Decide = (request: DecisionRequest) => Promise<DecisionAnswer>;
/** "Not now": how long, and what the others should know. */
export interface SetAsideRequest {
  approvalId: string;
  /** Null: until something about it changes. */
  minutes: number | null;
  note?: string;
}

export type SetAside = (request: SetAsideRequest) => Promise<{ ok: boolean; message: string }>;
export type TakeUp = (approvalId: string) => Promise<{ ok: boolean; message: string }>;
export type Extend = (approvalId: string) => Promise<{ ok: boolean; message: string }>;

/** What a reviewer's changes would make of the call, or why that is not known. */
export type EditAnswer = ({ kind: "shown" } & EditPreview) | { kind: "not_shown"; message: string };
export type ReviewEdit = (approvalId: string, edits: ArgumentEdit[]) => Promise<EditAnswer>;

/** What can be done on a card. */
export interface CardActions {
  decide: Decide;
  extend: Extend;
  setAside: SetAside;
  takeUp: TakeUp;
  reviewEdit: ReviewEdit;
}

/** Previewing changes sends nothing, so a broken connection leaves nothing uncertain. */
export async function reviewSafely(review: ReviewEdit, approvalId: string, edits: ArgumentEdit[]): Promise<EditAnswer> {
  try {
    return await review(approvalId, edits);
  } catch {
    return { kind: "not_shown", message: "The changes could not be looked at. Nothing was decided; try again." };
  }
}

/**
 * Calls the server; after a broken connection it is unknown whether the decision arrived. Without a network nothing
 * left this browser.
 */
export async function decideSafely(decide: Decide, request: DecisionRequest): Promise<DecisionAnswer> {
  if (!isOnline())
    return {
      kind: "not_recorded",
      why: "offline",
      first: null,
      message: "Nothing left this browser. Decide when there is a network again.",
      issues: [],
    };
  try {
    return await decide(request);
  } catch {
    return { kind: "uncertain", message: "The connection broke before the answer came." };
  }
}
