/**
 * The states of a tool call.
 *
 * requested         the model asked; the policy has not answered yet
 * denied            the policy refused it
 * pending_approval  people are asked
 * approved          it may be sent, once: by the policy or by people
 * rejected          people refused it
 * expired           nobody decided in time
 * cancelled         the run was ended, or the question withdrawn, before it was sent
 * executing         written before the bytes leave; from here on it counts as sent
 * succeeded         the tool server answered
 * failed            the tool server answered with an error, or the call could not be sent at all
 * outcome_unknown   it was sent and no answer is on record; a person settles it, or it is sent again if that is harmless
 */
import { isFinal, type TransitionTable } from "@/lib/domain/transition-table";

export type CallStatus =
  | "requested"
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
  requested: ["denied", "approved", "pending_approval", "cancelled"],
  denied: [],
  pending_approval: ["approved", "rejected", "expired", "cancelled"],
  // Back to the people when what they saw is no longer what would run.
  approved: ["executing", "pending_approval", "denied", "failed", "cancelled"],
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

export const isCallSettled = (status: CallStatus): boolean => isFinal(CALL_TRANSITIONS, status);

/** Stands for sub-agents: a call to it is executing all the time that the sub-agent works or waits, and nothing leaves this system. */
export const AGENTS_SERVER = "kimitsu/agents";

/** What is on record of a sub-agent that was under way when its run ended. */
export const RUN_ENDED = { code: "run_ended", message: "The run ended before the sub-agent did." } as const;

/** Stands in the place of an error while an approved call waits for its server, and goes with the wait. */
export const SERVER_AWAY = "server_away";
