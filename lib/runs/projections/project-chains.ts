/**
 * Brings the projections of some chains up to the ends of their journals. One writer at a time, under a lock; the rows
 * to write are determined under it, so that a second writer finds nothing left to do. A run whose record was changed by
 * hand is skipped with a log line, and does not block others.
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

/** Journal rows per transaction; a run with more goes alone. */
const ROWS_MAX = 1_000;
const SEQ_MAX = 2 ** 31 - 1;
const TRANSACTION = { timeout: 60_000, maxWait: 20_000 };
const PROJECTOR_LOCK = 7461004;

export interface Projector {
  db: Db;
  cache: FoldCache;
  /** Whether to wait for another process that projects. Otherwise nothing is done while there is one. */
  waits?: boolean;
  idleMs?: number;
}

type Locked = Parameters<Parameters<Db["$transaction"]>[0]>[0];

/**
 * Runs the work under the projector's lock; null when another process has it. A process that is suspended while it
 * holds the lock loses it, with its transaction, after its connection was idle for a while.
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

/** False when another process is projecting. */
export async function projectChains(projector: Projector, standings: readonly Standing[]): Promise<boolean> {
  for (const group of groupsOf(standings.filter(({ seq, projected }) => seq > projected))) {
    if (!(await projectGroup(projector, group))) return false;
  }
  return true;
}

/** Groups of chains with about this many rows. A run is projected as a whole; the system chain may be split. */
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
      // Lists search for it nevertheless, and only up to where the projector is.
      return (
        (await underLock(projector, async (tx) => (await writeSearch(tx, await allOfRun(tx, first.id)), true))) ?? false
      );
    }
  }
  // One of them does not fit into the tables; the others must not wait for it.
  for (const standing of group) if (!(await projectGroup(projector, [standing]))) return false;
  return true;
}

/** It took too long, which says nothing about the rows: they are determined again. */
const isTransactionOver = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2028";

/**
 * Uses the connection that has the lock: waiting for another connection could deadlock with those who wait for this
 * one.
 */
async function findRows(tx: Locked, cache: FoldCache, group: readonly Standing[]): Promise<ProjectedRows[]> {
  const wanted = group.map((standing) => stretchOf(cache, standing));
  const chains = await readEntries(tx, wanted);
  const removed = new Set(group.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
  const all: ProjectedRows[] = [];
  for (const stretch of wanted) {
    const found = chains.get(stretch.id);
    // If less is projected than was seen, a rebuild is in progress and includes this chain.
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

/** Only the events. A row that Kimitsu has not sealed is left out; the audit names it. */
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

/** What was cached of it may come from a database that has lost commits since. */
async function rowsAnew(reading: Reading, id: string): Promise<ProjectedRows | null> {
  const whole = { id, after: 0, last: SEQ_MAX };
  const found = (await readEntries(reading.tx, [whole])).get(id);
  return found ? rowsOfFold(reading, whole, found) : null;
}

const lengthOf = (entries: readonly StoredEntry[]): number =>
  entries.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
