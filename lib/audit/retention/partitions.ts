/**
 * The partitions of the journal, one for each month, made long in advance. The partition for all other times is a
 * safety net: its rows are moved when their month gets its own, and keep their transaction number.
 */
import { type JournalMonth, monthOf, readMonth } from "@/lib/audit/rules/journal-month";
import type { Db } from "@/lib/database/client";
import { log } from "@/lib/log";

/** Leaves a quarter of a year to find out why none is added. */
const MONTHS_AHEAD = 3;
const PARTITION_LOCK = 7461005;
/**
 * Readers of the journal queue behind whoever waits for journal_other, so it gives up soon and tries again later.
 * Commits do not wait: they touch only the partition of their own month.
 */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'";

/** `busy`: somebody reads the journal or adds a month; it is tried again later. */
export type AddOutcome = "done" | "busy";

/** Any number of processes may try; one does it. Each month is its own short transaction. */
export async function addJournalMonths(db: Db, now: Date): Promise<AddOutcome> {
  const wanted = Array.from({ length: MONTHS_AHEAD + 1 }, (_, later) => monthOf(now, later));
  const known = await listPartitions(db);
  for (const month of wanted.filter(({ name }) => !known.includes(name))) {
    const outcome = await addMonth(db, month).catch((error: unknown): AddOutcome => {
      if (isLockTimeout(error)) return "busy";
      throw error;
    });
    if (outcome === "busy") return "busy";
  }
  return "done";
}

function addMonth(db: Db, { name, from }: JournalMonth): Promise<AddOutcome> {
  return db.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<
      { taken: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${PARTITION_LOCK}::bigint) AS taken`;
    if (!lock?.taken) return "busy";
    if ((await listPartitions(tx)).includes(name)) return "done";
    await tx.$executeRawUnsafe(LOCK_TIMEOUT);
    const [added] = await tx.$queryRaw<{ moved: number }[]>`SELECT add_journal_month(${dayOf(from)}::date) AS moved`;
    if (added?.moved) log.warn({ month: name, rows: added.moved }, "rows of the journal came before their partition");
    return "done";
  });
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

interface LockFailure {
  meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
}

const isLockTimeout = (error: unknown): boolean =>
  (error as LockFailure).meta?.driverAdapterError?.cause?.originalCode === "55P03";

export async function listPartitions(db: Pick<Db, "$queryRaw">): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`SELECT c.relname AS name FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'journal'::regclass ORDER BY 1`;
  return rows.map(({ name }) => name);
}

/** The months that have a partition and ended before `before`, oldest first. */
export async function listMonthsBefore(db: Pick<Db, "$queryRaw">, before: Date): Promise<JournalMonth[]> {
  return (await listPartitions(db)).flatMap((name) => readMonth(name) ?? []).filter(({ to }) => to <= before);
}
