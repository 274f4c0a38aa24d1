/** What passes between the card and the server when a person decides. Plain data. */

/** A change of one named argument; without a value it is taken out. */
export type ArgumentEdit = { name: string; value: unknown } | { name: string; remove: true };

export interface DecisionRequest {
  approvalId: string;
  /** Of the arguments that were on the screen. */
  digest: string;
  verdict: "approved" | "rejected";
  reason?: string;
  /** What was typed before a critical call. */
  confirm?: string;
  edits?: ArgumentEdit[];
}

export type DecisionAnswer =
  | { kind: "recorded"; status: "approved" | "rejected" | "pending" }
  | { kind: "not_recorded"; why: "expired" | "decided" | "run_ended" | "changed" | "forbidden" | "invalid"; message: string; issues: string[] }
  /** The answer got lost on its way, or the server failed midway. */
  | { kind: "uncertain"; message: string };

export type Decide = (request: DecisionRequest) => Promise<DecisionAnswer>;
export type Extend = (approvalId: string) => Promise<{ ok: boolean; message: string }>;

/** Calls the server; a connection that breaks leaves it open whether the decision arrived. */
export async function decideSafely(decide: Decide, request: DecisionRequest): Promise<DecisionAnswer> {
  try {
    return await decide(request);
  } catch {
    return { kind: "uncertain", message: "The connection broke before the answer came." };
  }
}
