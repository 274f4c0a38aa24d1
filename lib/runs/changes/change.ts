/**
 * What a change of a run is. Each kind is one file: what it carries, the events it puts on the trail, and its effect.
 * The worker that makes a change and whoever reads the journal later use the same `apply`, so an effect is written
 * once.
 */
import type { Actor } from "@/lib/people/rules/actor";
import type { EventData } from "@/lib/audit/rules/audit-event";
import type { RunRow, RunSnapshot } from "@/lib/runs/snapshot";

/** JSON, as it stands in the journal. */
export interface Change {
  kind: string;
  /** ISO 8601. */
  at: string;
}

export interface EventDraft {
  type: string;
  /** What is undefined is left out. */
  data: { [key: string]: EventData[string] | undefined };
  /** Kimitsu itself when left out. */
  actor?: Actor;
  /** When it is not the time of the change. */
  at?: string;
}

export interface ChangeKind<C extends Change> {
  kind: C["kind"];
  events(change: C): EventDraft[];
  /** Changes the snapshot in place. Throws when the change does not fit, which only a broken record can bring about. */
  apply(snapshot: RunSnapshot, change: C): void;
  /** The approvals whose rows move with it. */
  approvals?(change: C): string[];
  /** As it stands in the journal: without what `open` can tell from the rest. A row that has all of it is opened too. */
  keep?(change: C, run: RunFacts): object;
  open?(kept: never, run: RunFacts): C;
}

/** What a change may leave out because its run says it, from its first row to its last. */
export type RunFacts = Readonly<Pick<RunRow, "id" | "workflow" | "configHash">>;
