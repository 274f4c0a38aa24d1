/**
 * Money for a turn of the model, set aside before it is asked, so that a run never costs more than its budget. When the longest answer does
 * not fit any more, the turn gets what is left: a shorter answer at most, which most answers are anyway. A run without a budget needs no
 * commit for it.
 */
import type { RunContext } from "@/lib/engine/advance/run-context";
import { LeaseLost, type RunMemory } from "@/lib/engine/advance/run-memory";
import type { StepError } from "@/lib/engine/advance/step-outcome";
import { OUTPUT_TOKENS_DEFAULT, OUTPUT_TOKENS_MIN } from "@/lib/models/limits";
import type { ModelRequest } from "@/lib/models/model";
import { reserveCost } from "@/lib/store/transitions/reserve-cost";

export interface ReservedTurn {
  usd: number;
  /** Of the answer, as the request says or as the money allows. */
  maxTokens: number | null;
  /** To be called when the turn is recorded or has failed: those who wait for money look again. */
  done: () => void;
}

interface WantedTurn {
  group: string;
  request: ModelRequest;
}

/** One after the other: whoever is refused must know of all that was set aside before. */
export function reserveTurn(context: RunContext, wanted: WantedTurn): Promise<ReservedTurn | StepError> {
  const { memory } = context;
  if (memory.run.costBudgetUsd === null) return Promise.resolve({ usd: 0, maxTokens: wanted.request.maxTokens, done: () => undefined });
  const reserved = memory.reserving.then(() => reserve(context, wanted));
  memory.reserving = reserved.catch(() => undefined);
  return reserved;
}

/** An estimate is higher than what a turn will cost, so a refusal is final only when nobody is under way who may leave something over. */
async function reserve({ memory, writes, loaded: { gateway } }: RunContext, { group, request }: WantedTurn): Promise<ReservedTurn | StepError> {
  const costOf = (maxTokens: number | null) => gateway.estimateCostUsd(group, { ...request, maxTokens });
  const wishedTokens = request.maxTokens ?? OUTPUT_TOKENS_DEFAULT;
  const leastTokens = Math.min(wishedTokens, OUTPUT_TOKENS_MIN);
  for (let maxTokens = request.maxTokens; ; ) {
    const others = [...memory.reservations];
    const usd = costOf(maxTokens);
    const outcome = await writes.now((db) => reserveCost(db, memory.lease, usd));
    if (outcome.kind === "lost") throw new LeaseLost("another process has this run now");
    if (outcome.kind === "done") return { usd, maxTokens, done: track(memory) };
    const affordable = Math.min(wishedTokens, gateway.answerTokensWithin(group, request, outcome.budgetUsd - outcome.usedUsd));
    if (others.length > 0 && outcome.spentUsd < outcome.budgetUsd) await Promise.race(others);
    else if (affordable >= leastTokens && affordable !== maxTokens) maxTokens = affordable;
    else return toError(outcome, { needsUsd: costOf(leastTokens), leastTokens });
  }
}

function toError({ spentUsd, budgetUsd }: { spentUsd: number; budgetUsd: number }, { needsUsd, leastTokens }: { needsUsd: number; leastTokens: number }): StepError {
  const [spent, left, needs] = [spentUsd, Math.max(0, budgetUsd - spentUsd), needsUsd].map((figure) => `$${figure.toFixed(6).replace(/0{1,4}$/, "")}`);
  const remedy = spentUsd >= budgetUsd ? "" : `, or set \`model.max_tokens\` of the step below ${leastTokens}`;
  return { code: "budget_exceeded", message: `Budget exceeded: ${spent} spent, ${left} remaining, the next turn needs ${needs} for what it reads and an answer of up to ${leastTokens} tokens. Raise \`model_policy.cost_budget_usd\`${remedy}.`, fails_run: true };
}

function track({ reservations }: RunMemory): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  reservations.add(promise);
  return () => {
    reservations.delete(promise);
    resolve();
  };
}
