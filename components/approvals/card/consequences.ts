import type { FailureReach } from "@/lib/approvals/rules/after-rejection";

/** What each button will do, from the rule that asked. */
export interface RuleFacts {
  onReject: string;
  timeoutBehavior: string;
  triesLeft: number;
  minApprovals: number;
  approvals: number;
  stepKey: string;
  /** What ends when the agent fails. */
  reach: FailureReach;
  hasExpiry: boolean;
  /** An admin has paused all calls. */
  isPaused: boolean;
  /** The project's current rules refuse the call as it is. */
  isRefusedNow: boolean;
}

export interface Consequence {
  /** Null for what happens without any. */
  button: "Approve" | "Reject" | "Edit" | "Not now" | null;
  does: string;
}

/** What each button of a card does, and what happens when nobody presses any. */
export function listConsequences({
  rule,
  confirmWord,
  editClosed,
}: {
  rule: RuleFacts;
  confirmWord: string | null;
  editClosed: string | null;
}): Consequence[] {
  return [
    {
      button: "Approve",
      does: `${describeApproval(rule)}${confirmWord === null || rule.isRefusedNow ? "" : " You type a value first."}`,
    },
    { button: "Reject", does: describeRejection(rule) },
    ...(editClosed === null ? [] : [{ button: "Edit" as const, does: `is closed: ${editClosed}` }]),
    { button: "Not now", does: "lets it sink in your queue." },
    { button: null, does: describeExpiry(rule) },
  ];
}

export function describeApproval({ minApprovals, approvals, isPaused, isRefusedNow }: RuleFacts): string {
  if (isRefusedNow) return "is closed: the project's rules refuse this call now.";
  const missing = minApprovals - approvals - 1;
  if (missing <= 0)
    return isPaused ? "is recorded now; the call is sent, once, when calls go again." : "sends it now, once.";
  return `counts as ${approvals + 1} of ${minApprovals}; it is sent when ${missing === 1 ? "one more person agrees" : `${missing} more people agree`}${isPaused ? " and calls go again" : ""}.`;
}

/** What a failure of the agent ends, and what continues. */
export function describeEnd({ stepKey, reach }: RuleFacts): string {
  switch (reach.ends) {
    case "subagent":
      return `ends the sub-agent ${reach.agent}; ${reach.caller}, which called it, is told that it failed and goes on`;
    case "item":
      return `ends this item of step ${stepKey}; the step goes on without it`;
    default:
      return `ends step ${stepKey}, and with it the run`;
  }
}

/** The work that the rule is about. */
const workOf = ({ stepKey, reach }: RuleFacts): string =>
  reach.ends === "subagent" ? `the sub-agent ${reach.agent}` : `step ${stepKey}`;

export function describeRejection(facts: RuleFacts): string {
  const { onReject, triesLeft } = facts;
  if (facts.reach.ends === "call") return "tells the client why; the call is not made.";
  switch (onReject) {
    case "recover":
      return "tells the agent why; it goes on and may try another way.";
    case "retry":
      return triesLeft === 0
        ? `${describeEnd(facts)}: the agent has no tries left.`
        : `tells the agent why and asks it for another call; ${triesLeft === 1 ? "one try is" : `${triesLeft} tries are`} left, then ${workOf(facts)} fails.`;
    case "skip":
      return `takes the tool away from the agent for the rest of ${workOf(facts)}.`;
    case "degrade":
      return `gives the agent one last turn without tools; ${workOf(facts)} is marked degraded.`;
    default:
      return `${describeEnd(facts)}.`;
  }
}

export function describeExpiry(facts: RuleFacts): string {
  if (!facts.hasExpiry) return "It waits until someone decides.";
  if (facts.reach.ends === "call")
    return "If nobody decides in time, the call is not made, and the client is told that it expired.";
  return facts.timeoutBehavior === "reject" && facts.onReject !== "fail"
    ? "If nobody decides in time, that counts as a rejection, and the agent is told that it expired."
    : `If nobody decides in time, that ${describeEnd(facts)}.`;
}

/** Whether a rejection ends the step, so that its agent never reads about it. */
const endsStep = ({ onReject, triesLeft }: RuleFacts): boolean =>
  onReject === "fail" || (onReject === "retry" && triesLeft === 0);

/** Who reads why a call was rejected, besides people. */
export function readerOf(facts: RuleFacts): "client" | "agent" | null {
  if (facts.reach.ends === "call") return "client";
  return endsStep(facts) ? null : "agent";
}

/** The data that the model reads after a rejection, as it will be sent. */
export function messageToAgent(tool: string, reason: string, { onReject, triesLeft }: RuleFacts): string {
  const message = {
    status: "rejected",
    tool,
    reason: reason === "" ? null : reason,
    on_reject: onReject,
    tries_left: onReject === "retry" ? triesLeft : onReject === "recover" ? null : 0,
  };
  return JSON.stringify(message);
}
