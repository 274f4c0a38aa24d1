/** The position of a call or a step in its run: who made it, and what is above it. Pure. */
import type { ApprovalRow, CallRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);

/** Ids sort in order of creation. */
export const stepsInOrder = ({ steps }: RunSnapshot): StepRow[] => [...steps.values()].toSorted(byId);
export const callsInOrder = ({ calls }: RunSnapshot): CallRow[] => [...calls.values()].toSorted(byId);
export const approvalsInOrder = ({ approvals }: RunSnapshot): ApprovalRow[] => [...approvals.values()].toSorted(byId);

/** The pipeline step to which a step belongs, however deep below it. */
export function rootOf({ steps }: RunSnapshot, stepId: string): StepRow | null {
  let step = steps.get(stepId);
  for (let above = step; above; above = steps.get(above.parentId ?? "")) step = above;
  return step ?? null;
}

/**
 * The name of a step for people: a sub-agent is named after the step of the workflow's file that it works for, and an
 * item has its number.
 */
export function nameOfStep({ steps }: RunSnapshot, stepId: string): string {
  let step = steps.get(stepId);
  while (step && step.itemIndex === null) {
    const above = steps.get(step.parentId ?? "");
    if (above?.type !== "agent") break;
    step = above;
  }
  if (!step) return "";
  return step.itemIndex === null ? step.key : `${step.key}, item ${step.itemIndex + 1}`;
}

/** The call, and the calls above it that started its sub-agents, innermost first. */
function callChain({ calls }: RunSnapshot, call: CallRow): CallRow[] {
  const chain: CallRow[] = [];
  for (let each: CallRow | undefined = call; each; each = calls.get(each.parentCallId ?? "")) chain.push(each);
  return chain;
}

/** The agent that made the call, preceded by the agents above it, outermost first. */
export const callersOf = (snapshot: RunSnapshot, call: CallRow): string[] =>
  callChain(snapshot, call)
    .map(({ agent }) => agent)
    .toReversed();

/** The step as the workflow's file names it: a sub-agent's calls belong to the step of the outermost agent. */
export function stepKeyOf(snapshot: RunSnapshot, call: CallRow): string {
  const outermost = callChain(snapshot, call).at(-1) ?? call;
  return snapshot.steps.get(outermost.stepId)?.key ?? "";
}

/** What the model said in the turn that made the call. */
export const responseOfTurn = ({ turns }: RunSnapshot, { stepId, turnId }: CallRow): unknown =>
  turns.get(stepId)?.find(({ id }) => id === turnId)?.response;

export type ChainedStep = Pick<StepRow, "key" | "type" | "agent" | "itemIndex"> & {
  /** How many of its sibling items have failed. */
  failedBeside: number;
};

/** A step and those above it, innermost first. */
export function stepChainOf(snapshot: RunSnapshot, stepId: string): ChainedStep[] {
  const chain: ChainedStep[] = [];
  for (let step = snapshot.steps.get(stepId); step; step = snapshot.steps.get(step.parentId ?? "")) {
    const { key, type, agent, itemIndex } = step;
    chain.push({ key, type, agent, itemIndex, failedBeside: itemIndex === null ? 0 : failedItems(snapshot, step) });
  }
  return chain;
}

function failedItems({ steps }: RunSnapshot, { parentId }: StepRow): number {
  const isFailedItem = (step: StepRow) =>
    step.parentId === parentId && step.itemIndex !== null && step.status === "failed";
  return [...steps.values()].filter(isFailedItem).length;
}

/** What the run may still cost, as the policy gets it. */
export interface Spending {
  usedUsd: number;
  /** Without what models cost. */
  toolsUsedUsd: number;
  limitUsd: number | null;
}

export function spendingOf({ run, turns }: RunSnapshot): Spending {
  const turnsUsd = [...turns.values()].flat().reduce((sum, { costUsd }) => sum + costUsd, 0);
  return { usedUsd: run.costUsd, toolsUsedUsd: Math.max(run.costUsd - turnsUsd, 0), limitUsd: run.costBudgetUsd };
}
