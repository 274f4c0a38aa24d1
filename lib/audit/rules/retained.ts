/** What sealed events on the trail say about its parts that are no longer in the database. Pure. */
import type { EntryEvent, Head } from "@/lib/runs/journal/entry";

export const PARTITION_DETACHED = "audit.partition_detached";
export const RUNS_REMOVED = "run.records_removed";

export interface Retained {
  /** Chains whose first rows are in detached months: the row before the first remaining one. */
  heads: Map<string, Head>;
  /** All heads of the anchors up to this one are in detached months. */
  anchorsTo: number;
  /** Heads of later anchors that are in detached months, as `chain seq`. */
  anchored: Set<string>;
  /** Ended runs whose last journal row is older no longer have a row. */
  removedBefore: string | null;
  archives: { partition: string; file: string; digest: string; at: string }[];
}

export const nothingRetained = (): Retained => ({
  heads: new Map(),
  anchorsTo: 0,
  anchored: new Set(),
  removedBefore: null,
  archives: [],
});

/** As the event carries it. */
export interface DetachedPartition {
  partition: string;
  from: string;
  to: string;
  rows: number;
  file: string;
  /** `sha256:` of the file. */
  digest: string;
  anchors_to: number;
  anchored: { chain: string; seq: number }[];
  /** The last row of each chain that continues in a later month. */
  heads: { chain: string; seq: number; hash: string }[];
}

export function addRetained(retained: Retained, { type, data, at }: EntryEvent): void {
  if (type === RUNS_REMOVED) {
    const before = String(data.before);
    if (retained.removedBefore === null || before > retained.removedBefore) retained.removedBefore = before;
  }
  if (type !== PARTITION_DETACHED) return;
  const { partition, file, digest, anchors_to: anchorsTo, anchored, heads } = data as unknown as DetachedPartition;
  retained.anchorsTo = Math.max(retained.anchorsTo, anchorsTo);
  for (const { chain, seq } of anchored) retained.anchored.add(`${chain} ${seq}`);
  for (const { chain, seq, hash } of heads) retained.heads.set(chain, { seq, hash: Buffer.from(hash, "hex") });
  retained.archives.push({ partition, file, digest, at });
}
