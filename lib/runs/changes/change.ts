/**
 * What a change of a run is. Each kind is one file: its data, the events it puts on the trail, and its effect. The
 * worker that makes a change and a later reader of the journal use the same `apply`, so an effect is written once.
 */
import type { Actor } from "@/lib/people/rules/actor";
import type { EventData } from "@/lib/audit/rules/audit-event";
import type { RowEvent, RowEvents } from "@/lib/runs/changes/row-events";
import type { RunRow, RunSnapshot } from "@/lib/runs/snapshot";

/** JSON, as it is in the journal. */
export interface Change {
  kind: string;
  /** ISO 8601. */
  at: string;
}

export interface EventDraft {
  type: string;
  /** Undefined values are omitted. */
  data: { [key: string]: EventData[string] | undefined };
  /** Kimitsu itself when omitted. */
  actor?: Actor;
  /** When it is not the time of the change. */
  at?: string;
}

export interface ChangeKind<C extends Change> {
  kind: C["kind"];
  events(change: C): EventDraft[];
  /** Changes the snapshot in place. Throws when the change does not fit, which only a broken record can cause. */
  apply(snapshot: RunSnapshot, change: C): void;
  /** The approvals whose rows change with it. */
  approvals?(change: C): string[];
  /**
   * As it is in the journal: without what `open` can derive from the rest, and from its own events in the same row.
   * `open` also reads a row that is complete.
   */
  keep?(change: C, run: RunFacts, events: readonly RowEvent[]): object;
  open?(kept: never, run: RunFacts, events: RowEvents): C;
}

/** Facts that a change may omit because they are the same for the whole run. */
export type RunFacts = Readonly<Pick<RunRow, "id" | "workflow" | "configHash">>;
