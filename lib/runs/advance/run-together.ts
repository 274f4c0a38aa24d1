/**
 * Runs several pieces of work concurrently, up to a limit. One that waits is tried again when something outside has
 * changed, while the others are still in progress: a decision about one call never waits for the end of another.
 */
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import type { Waiting } from "@/lib/runs/advance/step-outcome";

export interface Together {
  /** What could begin now, each with its own key; called again after every change. */
  ready: () => Iterable<readonly [key: string, work: () => Promise<Waiting[]>]>;
  /** From then on what is in progress may end, and nothing begins. */
  isStopping: () => boolean;
  limit?: number | undefined;
}

/**
 * Returns what is waited for when nothing is in progress any more. The first failure is thrown then, and nothing begins
 * after it.
 */
export async function runTogether(
  memory: RunMemory,
  { ready, isStopping, limit = Number.POSITIVE_INFINITY }: Together,
): Promise<Waiting[]> {
  const underWay = new Map<string, Promise<void>>();
  const waits = new Map<string, Waiting[]>();
  let failure: { error: unknown } | undefined;
  const start = (key: string, work: () => Promise<Waiting[]>) => {
    const ended = work()
      .then((waiting) => void (waiting.length > 0 && waits.set(key, waiting)))
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => underWay.delete(key));
    underWay.set(key, ended);
  };
  for (;;) {
    const changed = memory.changed.then(() => true);
    if (!failure && !isStopping()) {
      for (const [key, work] of ready()) {
        if (underWay.size >= limit) break;
        if (!underWay.has(key) && !waits.has(key)) start(key, work);
      }
    }
    if (underWay.size === 0) {
      if (failure) throw failure.error;
      return [...waits.values()].flat();
    }
    if (await Promise.race([...underWay.values(), changed])) waits.clear();
  }
}
