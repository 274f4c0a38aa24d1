/**
 * Brings the projections of some chains up to the ends of their journals. One writer at a time, under a lock; what is written
 * is found anew under it, so that whoever comes second finds nothing left to do. A run whose record was changed by hand is left as
 * it is, with a line in the log, and stands in the way of no other.
 */
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import { isDatabaseAway } from "@/lib/database/database-away";
import { Prisma } from "@/lib/database/generated/client";
import { PROJECTOR_IDLE_MS } from "@/lib/limits";
import { log } from "@/lib/log";
import { pause } from "@/lib/pause";
import { emptySnapshot } from "@/lib/runs/changes/run-created";
import { findEntryProblem, NO_HEAD } from "@/lib/runs/journal/entry";
import { foldOn } from "@/lib/runs/journal/fold";
import type { FoldCache, Kept } from "@/lib/runs/projections/fold-cache";
import {
  joinRows,
  type ProjectedRows,
  rowsOfChain,
  rowsOfRun,
  type StoredEntry,
} from "@/lib/runs/projections/projected-rows";
import { type ChainRows, readEntries, type Standing, type Stretch } from "@/lib/runs/projections/read-entries";
import { writeRows } from "@/lib/runs/projections/write-rows";
import { allOfRun, writeSearch } from "@/lib/runs/projections/write-search";

/** Of journal rows in one transaction; a run that has more goes alone. */
const ROWS_MAX = 1_000;
const SEQ_MAX = 2 ** 31 - 1;
const TRANSACTION = { timeout: 60_000, maxWait: 20_000 };
const PROJECTOR_LOCK = 7461004;

export interface Projector {
  db: Db;
  cache: FoldCache;
  /** Whether to wait for another process that projects. Without it nothing is done while there is one. */
  waits?: boolean;
  idleMs?: number;
}

type Locked = Parameters<Parameters<Db["$transaction"]>[0]>[0];

/**
 * Carries out the work under the projector's lock; null when another has it. A process that is stopped with the lock in
 * its hands loses it, with its transaction, when it has asked nothing of Postgres and taken nothing from it for a while.
 */
export async function underLock<T>(
  { db, waits = false, idleMs = PROJECTOR_IDLE_MS }: Pick<Projector, "db" | "waits" | "idleMs">,
  work: (tx: Locked) => Promise<T>,
) {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true),
      set_config('tcp_user_timeout', ${String(idleMs)}, true)`;
    if (waits) await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PROJECTOR_LOCK}::bigint)`;
    else {
      const [lock] = await tx.$queryRaw<
        { taken: boolean }[]
      >`SELECT pg_try_advisory_xact_lock(${PROJECTOR_LOCK}::bigint) AS taken`;
      if (!lock?.taken) return null;
    }
    return work(tx);
  }, TRANSACTION);
}

/** False when another process projects at the moment. */
export async function projectChains(projector: Projector, standings: readonly Standing[]): Promise<boolean> {
  for (const group of groupsOf(standings.filter(({ seq, projected }) => seq > projected))) {
    if (!(await projectGroup(projector, group))) return false;
  }
  return true;
}

/** So many chains at a time as have about so many rows. A run is projected as a whole; the chain that belongs to none may be cut. */
function* groupsOf(standings: readonly Standing[]): Generator<Standing[]> {
  let group: Standing[] = [];
  let rows = 0;
  for (const standing of standings.flatMap(piecesOf)) {
    const own = standing.seq - standing.projected;
    if (group.length > 0 && rows + own > ROWS_MAX) {
      yield group;
      [group, rows] = [[], 0];
    }
    group.push(standing);
    rows += own;
  }
  if (group.length > 0) yield group;
}

function piecesOf(standing: Standing): Standing[] {
  if (standing.id !== SYSTEM_CHAIN) return [standing];
  const { id, seq, projected } = standing;
  const count = Math.ceil((seq - projected) / ROWS_MAX);
  return Array.from({ length: count }, (_, piece) => ({ id, seq, projected: projected + piece * ROWS_MAX }));
}

async function projectGroup(projector: Projector, group: readonly Standing[]): Promise<boolean> {
  try {
    const done = await underLock(projector, async (tx) => {
      const rows = joinRows(await findRows(tx, projector.cache, group));
      if (rows.chains.length > 0) {
        await writeRows(tx, rows);
        await writeSearch(tx, rows);
      }
      await pause("projections:before-commit");
      return true;
    });
    await pause("projections:after-commit");
    return done ?? false;
  } catch (error) {
    if (isDatabaseAway(error) || isTransactionOver(error)) throw error;
    const [first, second] = group;
    if (first && !second) {
      log.error({ chain: first.id, err: error }, "a journal could not be projected");
      // Lists search for it all the same, and look no further than the projector has come.
      return (
        (await underLock(projector, async (tx) => (await writeSearch(tx, await allOfRun(tx, first.id)), true))) ?? false
      );
    }
  }
  // One of them does not fit into the tables; the others are not to wait for it.
  for (const standing of group) if (!(await projectGroup(projector, [standing]))) return false;
  return true;
}

/** It took too long, which says nothing of what was to be written: that is looked for again. */
const isTransactionOver = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2028";

/** By the connection that has the lock: one that waited for another could wait for those who wait for this one. */
async function findRows(tx: Locked, cache: FoldCache, group: readonly Standing[]): Promise<ProjectedRows[]> {
  const wanted = group.map((standing) => stretchOf(cache, standing));
  const chains = await readEntries(tx, wanted);
  const removed = new Set(group.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
  const all: ProjectedRows[] = [];
  for (const stretch of wanted) {
    const found = chains.get(stretch.id);
    // Where less is projected than was seen, everything is being projected anew, and this chain with it.
    if (!found || found.projected < stretch.after) continue;
    const isFolded = stretch.id !== SYSTEM_CHAIN && !removed.has(stretch.id);
    const rows = isFolded ? await rowsOfFold({ tx, cache }, stretch, found) : rowsOfSealed(found);
    if (rows) all.push(rows);
  }
  return all;
}

function stretchOf(cache: FoldCache, { id, projected }: Standing): Stretch {
  if (id === SYSTEM_CHAIN) return { id, after: projected, last: projected + ROWS_MAX };
  return { id, after: cache.seqOf(id, projected), last: SEQ_MAX };
}

/** Only the events. A row that Kimitsu has not sealed is left out; the audit says which one. */
function rowsOfSealed({ projected, entries }: ChainRows): ProjectedRows | null {
  const fresh = entries.filter(({ seq }) => seq > projected);
  const last = fresh.at(-1);
  if (!last) return null;
  const sealed = fresh.filter((entry) => findEntryProblem(entry, null, auditKeys()) === null);
  return { ...rowsOfChain(sealed), chains: [{ id: last.chain, seq: last.seq }] };
}

interface Reading {
  tx: Locked;
  cache: FoldCache;
}

async function rowsOfFold(reading: Reading, { id, after }: Stretch, found: ChainRows): Promise<ProjectedRows | null> {
  const { cache } = reading;
  const taken = cache.take(id);
  const kept: Kept = taken && after > 0 ? taken : { folded: { snapshot: emptySnapshot(id), head: NO_HEAD }, length: 0 };
  try {
    foldOn(kept.folded, found.entries, auditKeys());
    const fresh = found.entries.filter(({ seq }) => seq > found.projected);
    const rows = fresh.length > 0 ? rowsOfRun(kept.folded.snapshot, fresh) : null;
    cache.put(id, { folded: kept.folded, length: kept.length + lengthOf(found.entries) });
    return rows;
  } catch (error) {
    if (after > 0) return rowsAnew(reading, id);
    log.error({ run: id, err: error }, "a run is projected no further: its record is not what was written");
    const rows = rowsOfSealed(found);
    return rows && { ...rows, ...(await allOfRun(reading.tx, id)) };
  }
}

/** What was kept of it in memory may be of a database that has lost commits since. */
async function rowsAnew(reading: Reading, id: string): Promise<ProjectedRows | null> {
  const whole = { id, after: 0, last: SEQ_MAX };
  const found = (await readEntries(reading.tx, [whole])).get(id);
  return found ? rowsOfFold(reading, whole, found) : null;
}

const lengthOf = (entries: readonly StoredEntry[]): number =>
  entries.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
