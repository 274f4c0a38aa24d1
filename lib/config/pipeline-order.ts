/** Which step waits for which: from `depends_on` and from every reference to another step's output. */
import type { Step } from "./step-schema";
import { listStepReferences } from "./step-references";

/** For each step the ids of the steps it waits for, without itself and without ids that do not exist. */
export function listDependencies(steps: readonly Step[]): Map<string, string[]> {
  const ids = steps.map((step) => step.id);
  const known = new Set(ids);
  return new Map(
    steps.map((step) => {
      const references = listStepReferences(step, ids).filter((reference) => reference.root === "step");
      const needed = new Set(references.map((reference) => reference.path[0] ?? ""));
      return [step.id, ids.filter((id) => needed.has(id) && known.has(id) && id !== step.id)];
    }),
  );
}

/**
 * Cycles, each as the path that closes it (a, b, a); one for each back edge that was found. Iterative, so that a long
 * chain cannot exhaust the stack.
 */
export function listCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const settled = new Set<string>();
  for (const start of edges.keys()) {
    if (settled.has(start)) continue;
    const trail: { node: string; next: number }[] = [{ node: start, next: 0 }];
    const onTrail = new Set([start]);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const target = edges.get(top.node)?.[top.next];
      top.next += 1;
      if (target === undefined) {
        settled.add(top.node);
        onTrail.delete(top.node);
        trail.pop();
      } else if (onTrail.has(target)) {
        const nodes = trail.map((entry) => entry.node);
        cycles.push([...nodes.slice(nodes.indexOf(target)), target]);
      } else if (!settled.has(target)) {
        onTrail.add(target);
        trail.push({ node: target, next: 0 });
      }
    }
  }
  return cycles;
}

/** Ids in an order in which every step comes after those it waits for; otherwise in the order of the file. */
export function sortByDependencies(dependencies: ReadonlyMap<string, readonly string[]>): string[] {
  const sorted: string[] = [];
  const placed = new Set<string>();
  let pending = [...dependencies.keys()];
  while (pending.length > 0) {
    const ready = pending.filter((id) =>
      (dependencies.get(id) ?? []).every((needed) => placed.has(needed) || !dependencies.has(needed)),
    );
    if (ready.length === 0) throw new Error(`unreachable: cycle among ${pending.join(", ")} was not refused`);
    for (const id of ready) placed.add(id);
    sorted.push(...ready);
    pending = pending.filter((id) => !placed.has(id));
  }
  return sorted;
}
