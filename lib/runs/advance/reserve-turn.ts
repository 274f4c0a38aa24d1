/**
 * Money for a turn of the model, reserved before it is requested, so that a run never costs more than its budget. When
 * the longest answer no longer fits, the turn gets the remaining money: at most a shorter answer, which most answers
 * are anyway.
 */
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import type { StepError } from "@/lib/runs/advance/step-outcome";
import { OUTPUT_TOKENS_DEFAULT, OUTPUT_TOKENS_MIN } from "@/lib/models/limits";
import type { ModelRequest } from "@/lib/models/model";

export interface ReservedTurn {
  /** Limit of the answer, by the request or by the money. */
  maxTokens: number | null;
  /** To be called when the turn is recorded or has failed: those who wait for money check again. */
  done: () => void;
}

interface WantedTurn {
  group: string;
  request: ModelRequest;
}

/** One at a time: a refusal must take into account everything that was reserved before. */
export function reserveTurn(context: RunContext, wanted: WantedTurn): Promise<ReservedTurn | StepError> {
  const { memory } = context;
  if (memory.run.costBudgetUsd === null)
    return Promise.resolve({ maxTokens: wanted.request.maxTokens, done: () => undefined });
  const reserved = memory.reserving.then(() => reserve(context, wanted));
  memory.reserving = reserved.catch(() => undefined);
  return reserved;
}

/**
 * An estimate is higher than what a turn will cost, so a refusal is final only when no turn is in progress that may
 * leave something over.
 */
async function reserve(
  { memory, loaded: { gateway } }: RunContext,
  { group, request }: WantedTurn,
): Promise<ReservedTurn | StepError> {
  const costOf = (maxTokens: number | null) => gateway.estimateCostUsd(group, { ...request, maxTokens });
  const requestedTokens = request.maxTokens ?? OUTPUT_TOKENS_DEFAULT;
  const leastTokens = Math.min(requestedTokens, OUTPUT_TOKENS_MIN);
  for (let maxTokens = request.maxTokens; ;) {
    const others = [...memory.reservations.keys()];
    const usd = costOf(maxTokens);
    const { costUsd: spentUsd, costBudgetUsd } = memory.run;
    const budgetUsd = costBudgetUsd ?? Number.POSITIVE_INFINITY;
    const usedUsd = spentUsd + memory.reservedUsd;
    if (usedUsd < budgetUsd && usedUsd + usd <= budgetUsd) return { maxTokens, done: track(memory, usd) };
    const affordable = Math.min(requestedTokens, gateway.answerTokensWithin(group, request, budgetUsd - usedUsd));
    if (others.length > 0 && spentUsd < budgetUsd) await Promise.race(others);
    else if (affordable >= leastTokens && affordable !== maxTokens) maxTokens = affordable;
    else return toError({ spentUsd, budgetUsd }, { needsUsd: costOf(leastTokens), leastTokens });
  }
}

function toError(
  { spentUsd, budgetUsd }: { spentUsd: number; budgetUsd: number },
  { needsUsd, leastTokens }: { needsUsd: number; leastTokens: number },
): StepError {
  const [spent, left, needs] = [spentUsd, Math.max(0, budgetUsd - spentUsd), needsUsd].map(
    (figure) => `$${figure.toFixed(6).replace(/0{1,4}$/, "")}`,
  );
  const remedy = spentUsd >= budgetUsd ? "" : `, or set \`model.max_tokens\` of the step below ${leastTokens}`;
  return {
    code: "budget_exceeded",
    message: `Budget exceeded: ${spent} spent, ${left} remaining, the next turn needs ${needs} for what it reads and an answer of up to ${leastTokens} tokens. Raise \`model_policy.cost_budget_usd\`${remedy}.`,
    fails_run: true,
  };
}

/** Only the worker that has the run spends its money, so reservations are in its memory alone. */
function track({ reservations }: RunMemory, usd: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  reservations.set(promise, usd);
  return () => {
    reservations.delete(promise);
    resolve();
  };
}
