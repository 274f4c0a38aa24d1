/** Money for a turn of the model, set aside before it is asked. A run without a budget needs no commit for it. */
import type { RunContext } from "@/lib/engine/advance/run-context";
import { LeaseLost, type RunMemory } from "@/lib/engine/advance/run-memory";
import type { StepError } from "@/lib/engine/advance/step-outcome";
import { reserveCost } from "@/lib/store/transitions/reserve-cost";

export interface ReservedTurn {
  usd: number;
  /** To be called when the turn is recorded or has failed: those who wait for money look again. */
  done: () => void;
}

/** One after the other: whoever is refused must know of all that was set aside before. */
export function reserveTurn(context: RunContext, usd: number): Promise<ReservedTurn | StepError> {
  const { memory } = context;
  if (memory.run.costBudgetUsd === null) return Promise.resolve({ usd: 0, done: () => undefined });
  const reserved = memory.reserving.then(() => reserve(context, usd));
  memory.reserving = reserved.catch(() => undefined);
  return reserved;
}

/** An estimate is higher than what a turn will cost, so a refusal is final only when nobody is under way who may leave something over. */
async function reserve({ memory, writes }: RunContext, usd: number): Promise<ReservedTurn | StepError> {
  for (;;) {
    const others = [...memory.reservations];
    const outcome = await writes.now((db) => reserveCost(db, memory.lease, usd));
    if (outcome.kind === "lost") throw new LeaseLost("another process has this run now");
    if (outcome.kind === "done") return { usd, done: track(memory) };
    if (others.length === 0 || outcome.spentUsd >= outcome.budgetUsd) return toError(outcome, usd);
    await Promise.race(others);
  }
}

function toError({ usedUsd, budgetUsd }: { usedUsd: number; budgetUsd: number }, needsUsd: number): StepError {
  const [used, budget, needs] = [usedUsd, budgetUsd, needsUsd].map((figure) => `$${figure.toFixed(4)}`);
  return { code: "budget_exceeded", message: `Budget exceeded: ${used} of ${budget} spent or set aside, and the next turn may need ${needs}.`, fails_run: true };
}

function track({ reservations }: RunMemory): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  reservations.add(promise);
  return () => {
    reservations.delete(promise);
    resolve();
  };
}
