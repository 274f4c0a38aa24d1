/**
 * The states of a tool call. The policy answers before a call is written, so that none begins without an answer.
 *
 * - `denied`: the policy refused it
 * - `pending_approval`: people are asked
 * - `approved`: it may be sent, once, by the policy or by people
 * - `rejected`: people refused it
 * - `expired`: nobody decided in time
 * - `cancelled`: the run was ended, or the question withdrawn, before it was sent
 * - `executing`: written before the bytes leave; from here on it counts as sent
 * - `succeeded`: the tool server answered
 * - `failed`: the tool says that it failed, the answer proves that nothing happened, it only reads, or it could not be
 *   sent at all
 * - `outcome_unknown`: it was sent and nothing proves what came of it, or the record may be lost; a person settles it,
 *   after it was sent again if that is harmless
 */
import { isFinal, type TransitionTable } from "@/lib/runs/rules/transition-table";

export type CallStatus =
  | "denied"
  | "pending_approval"
  | "approved"
  | "rejected"
  | "expired"
  | "cancelled"
  | "executing"
  | "succeeded"
  | "failed"
  | "outcome_unknown";

export const CALL_TRANSITIONS: TransitionTable<CallStatus> = {
  denied: [],
  pending_approval: ["approved", "rejected", "expired", "cancelled"],
  // Back to people when what they saw is no longer what would run. Unknown when the database lost commits, one of which
  // may have recorded that it was sent.
  approved: ["executing", "pending_approval", "denied", "failed", "cancelled", "outcome_unknown"],
  rejected: [],
  expired: [],
  cancelled: [],
  // Back to approved when it is certain that nothing left this machine.
  executing: ["approved", "succeeded", "failed", "outcome_unknown"],
  succeeded: [],
  failed: [],
  // "It did not happen, run it" leads back to approved.
  outcome_unknown: ["approved", "succeeded", "failed"],
};

/** A call begins with its judgment; one that Kimitsu answers itself, or that cannot be sent, ends at once. */
export const FIRST_CALL_STATUSES = [
  "denied",
  "pending_approval",
  "approved",
  "rejected",
  "succeeded",
  "failed",
] as const satisfies readonly CallStatus[];

export const isCallSettled = (status: CallStatus): boolean => isFinal(CALL_TRANSITIONS, status);

/**
 * The server name for sub-agents: a call to it is executing as long as the sub-agent works or waits, and nothing leaves
 * this system.
 */
export const AGENTS_SERVER = "kimitsu/agents";

/** The record of a sub-agent that was in progress when its run ended. */
export const RUN_ENDED = { code: "run_ended", message: "The run ended before the sub-agent did." } as const;

/** In place of an error while an approved call, or a step, waits for a server; removed when the wait ends. */
export const SERVER_AWAY = "server_away";

/** Why a call that is on record as approved waits for a person. */
export const COMMITS_LOST = {
  code: "commits_lost",
  message:
    "The database was failed over or restored and may have lost its last commits, so this call may have been sent before. Look at the tool server before you say what became of it.",
} as const;
