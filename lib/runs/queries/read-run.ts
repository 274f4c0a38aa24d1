/**
 * One run for display: folded from its journal, so it is never behind, with what its row and its trail add. Of a
 * journal that was changed by hand only the part that still verifies is shown; nothing is decided by it. Runs that were
 * read are cached for a while, and then only their new rows are read.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import { PLAN_ONCE } from "@/lib/database/plan-anew";
import { emptySnapshot } from "@/lib/runs/changes/run-created";
import { type Entry, type EntryEvent, eventsOfBody, NO_HEAD } from "@/lib/runs/journal/entry";
import { foldOn, type Folded } from "@/lib/runs/journal/fold";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { RunError, RunSnapshot } from "@/lib/runs/snapshot";

export interface ReadRun {
  /** Must not be changed: it is cached for the next read. */
  snapshot: RunSnapshot;
  /** False when its journal was changed by hand, or its row names another end of it. */
  isWhole: boolean;
  updatedAt: Date;
  /** By journal row: how many events there are up to it. */
  eventEnds: readonly number[];
  /** What people did to the run, and calls whose outcome became unknown. */
  notable: readonly EntryEvent[];
}

/** Length of journal text, which is about what is kept in memory. */
const KEPT_LENGTH_MAX = 16 * 1024 * 1024;
const NOTABLE = new Set(["run.cancelled", "call.settled", "step.reviewed", "call.outcome_unknown"]);

interface Kept extends Folded {
  eventEnds: number[];
  notable: EntryEvent[];
  length: number;
  isWhole: boolean;
}

interface Row {
  seq: number;
  head: Buffer;
  status: RunStatus;
  error: RunError | null;
  updatedAt: Date;
  completedAt: Date | null;
  entrySeq: number | null;
  at: Date;
  body: string;
  mac: Buffer;
  hash: Buffer;
  data: string | null;
}

interface Keeper {
  runs: Map<string, Kept>;
  /** The last read of each run that is being read. */
  reads: Map<string, Promise<unknown>>;
}

/** By database, because tests have many in one process. */
const keepers = new WeakMap<Db, Keeper>();

function keeperOf(db: Db): Keeper {
  const keeper = keepers.get(db) ?? { runs: new Map(), reads: new Map() };
  keepers.set(db, keeper);
  return keeper;
}

/** Null when there is no such run. One read per run at a time: each later one reads only what came since. */
export async function readRun(db: Db, runId: string): Promise<ReadRun | null> {
  const { reads } = keeperOf(db);
  const before = reads.get(runId) ?? Promise.resolve();
  const read = before.catch(() => undefined).then(() => readInTurn(db, runId));
  reads.set(runId, read);
  try {
    return await read;
  } finally {
    if (reads.get(runId) === read) reads.delete(runId);
  }
}

async function readInTurn(db: Db, runId: string): Promise<ReadRun | null> {
  const { runs } = keeperOf(db);
  const before = runs.get(runId);
  runs.delete(runId);
  const read = before && (await readOn(db, runId, before));
  // The cached part no longer fits: the database has lost commits, or was changed.
  const [kept, row] = read ?? (await readOn(db, runId, newKept(runId))) ?? [];
  if (!kept || !row) return null;
  if (kept.isWhole) keep(runs, runId, kept);
  const { eventEnds, notable, isWhole } = kept;
  return {
    snapshot: row.error?.code === "record_changed" ? asStopped(kept.snapshot, row) : kept.snapshot,
    isWhole,
    updatedAt: row.updatedAt,
    eventEnds,
    notable,
  };
}

/**
 * Since when the outcome of each call was unknown. A call that was sent again after it was settled is no longer
 * unknown.
 */
export function unknownTimesOf({ snapshot: { calls }, notable }: ReadRun): Map<string, Date> {
  const times = new Map<string, Date>();
  for (const { type, data, at } of notable) {
    const call = calls.get(String(data.call_id));
    const isMeant = type === "call.outcome_unknown" && !(call?.executingAt && at < call.executingAt);
    if (call && isMeant) times.set(call.id, new Date(at));
  }
  return times;
}

const newKept = (runId: string): Kept => ({
  snapshot: emptySnapshot(runId),
  head: NO_HEAD,
  eventEnds: [],
  notable: [],
  length: 0,
  isWhole: true,
});

/** Null when there is no run, or what is on record does not follow the cached part. */
async function readOn(db: Db, runId: string, kept: Kept): Promise<[Kept, Row] | null> {
  const isFresh = kept.head.seq === 0;
  const rows = await db.$queryRaw<
    Row[]
  >`${PLAN_ONCE}SELECT r.seq, r.head, r.status, r.error, r.updated_at AS "updatedAt",
      r.completed_at AS "completedAt", j.seq AS "entrySeq", j.at, j.body, j.mac, j.hash, j.data
    FROM runs r LEFT JOIN journal j ON j.run_id = r.id AND j.seq > ${kept.head.seq} AND j.at >= r.created_at - interval '1 day'
    WHERE r.id = ${runId} ORDER BY j.seq`;
  const [first] = rows;
  if (!first) return null;
  for (const row of rows) if (row.entrySeq !== null) add(kept, toEntry(runId, row));
  kept.isWhole &&= kept.head.hash.equals(first.head);
  return kept.isWhole || isFresh ? [kept, first] : null;
}

const toEntry = (chain: string, { entrySeq, at, body, mac, hash, data }: Row): Entry => ({
  chain,
  seq: entrySeq ?? 0,
  at: at.toISOString(),
  body,
  mac,
  hash,
  data,
});

function add(kept: Kept, entry: Entry): void {
  try {
    if (kept.isWhole) foldOn(kept, [entry], auditKeys());
  } catch {
    kept.isWhole = false;
  }
  const events = eventsIn(entry);
  kept.eventEnds.push((kept.eventEnds.at(-1) ?? 0) + events.length);
  kept.notable.push(...events.filter(({ type }) => NOTABLE.has(type)));
  kept.length += entry.body.length + (entry.data?.length ?? 0);
}

/** A row that was changed by hand may contain anything. */
export function eventsIn({ body }: Pick<Entry, "body">): EntryEvent[] {
  try {
    return eventsOfBody(body);
  } catch {
    return [];
  }
}

/** A run that was stopped because of its record: its end is only on its row. */
function asStopped(snapshot: RunSnapshot, { status, error, completedAt }: Row): RunSnapshot {
  const ended = completedAt?.toISOString() ?? null;
  const withdrawn = [...snapshot.approvals].map(([id, approval]) => {
    const isOpen = approval.status === "pending";
    return [id, isOpen ? { ...approval, status: "cancelled" as const, decidedAt: ended } : approval] as const;
  });
  const run = { ...snapshot.run, status, error, completedAt: ended };
  return { ...snapshot, run, approvals: new Map(withdrawn) };
}

/** The most recently read one is kept longest. */
function keep(runs: Map<string, Kept>, runId: string, kept: Kept): void {
  runs.set(runId, kept);
  let length = [...runs.values()].reduce((sum, each) => sum + each.length, 0);
  for (const [id, each] of runs) {
    if (length <= KEPT_LENGTH_MAX) return;
    runs.delete(id);
    length -= each.length;
  }
}
