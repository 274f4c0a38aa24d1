/** A partial copy of a run with what a change touches, for a change that may still be refused. */
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface Touched {
  steps?: readonly string[];
  calls?: readonly string[];
  approvals?: readonly string[];
}

/** Steps and calls that are not touched are not in it. */
export function draftOf(snapshot: RunSnapshot, { steps = [], calls = [], approvals = [] }: Touched): RunSnapshot {
  return {
    run: { ...snapshot.run },
    turns: snapshot.turns,
    steps: copyOf(snapshot.steps, steps),
    calls: copyOf(snapshot.calls, calls),
    approvals: new Map([...snapshot.approvals, ...copyOf(snapshot.approvals, approvals)]),
  };
}

function copyOf<Row extends object>(rows: ReadonlyMap<string, Row>, ids: readonly string[]): Map<string, Row> {
  return new Map(ids.flatMap((id) => (rows.has(id) ? [[id, { ...(rows.get(id) as Row) }] as const] : [])));
}
