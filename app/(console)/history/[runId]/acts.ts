import type { ShownAct } from "@/components/runs/person-act";
import type { PersonAct } from "@/lib/runs/queries/list-person-acts";

const OUTCOMES = {
  succeeded: "it happened",
  approved: "it did not happen, so it may be sent again",
  failed: "it counts as failed",
} as const;

/**
 * What a person did, as a sentence in parts. `isNamed` adds what it was done to, for where that is not shown beside it.
 */
export function toShownAct(act: PersonAct, { isNamed }: { isNamed: boolean }): ShownAct {
  return {
    what: describeAct(act, isNamed),
    by: describeBy(act.by),
    at: act.at.toISOString(),
    outcome: act.kind === "settled" ? OUTCOMES[act.to] : null,
    said: act.said,
  };
}

function describeAct(act: PersonAct, isNamed: boolean): string {
  if (act.kind === "cancelled") return "Cancelled";
  if (act.kind === "settled") return isNamed ? `${act.tool} settled` : "Settled";
  return `Answer${isNamed ? ` of ${act.step}` : ""} ${act.accepted ? "accepted" : "refused"}`;
}

/** The name of a token alone could be mistaken for a person. */
const describeBy = ({ kind, name, person }: PersonAct["by"]): string =>
  person === null ? name : `${person}, by ${kind} ${name},`;

export const actsOnCall = (acts: readonly PersonAct[], callId: string): ShownAct[] =>
  acts
    .filter((act) => act.kind === "settled" && act.callId === callId)
    .map((act) => toShownAct(act, { isNamed: false }));
