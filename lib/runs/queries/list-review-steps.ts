import { stepChainOf } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface ReviewStep {
  id: string;
  /** The name for people: the step of the workflow's file, and the item or the sub-agent. */
  name: string;
  message: string;
  rawOutput: unknown;
}

/** At most this many are listed, the first ones first. */
const LISTED_MAX = 100;

/** The answers of a run that wait for a person; or only the one of a given step. */
export function reviewStepsOf(snapshot: RunSnapshot, stepId?: string): ReviewStep[] {
  const isMeant = ({ id, status }: { id: string; status: string }) =>
    status === "needs_human_review" && (stepId === undefined || id === stepId);
  return [...snapshot.steps.values()]
    .filter(isMeant)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, LISTED_MAX)
    .map(({ id, error, rawOutput }) => ({
      id,
      name: nameStep(snapshot, id),
      message: error?.message ?? "",
      rawOutput,
    }));
}

function nameStep(snapshot: RunSnapshot, stepId: string): string {
  const chain = stepChainOf(snapshot, stepId);
  const place = chain.findIndex((step, index) => step.itemIndex !== null || chain[index + 1]?.type !== "agent");
  const named = chain[place];
  const item = named && named.itemIndex !== null ? `, item ${named.itemIndex + 1}` : "";
  return `${named?.key ?? ""}${item}${place > 0 ? `, sub-agent ${chain[0]?.agent}` : ""}`;
}
