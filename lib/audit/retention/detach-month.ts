/**
 * Takes one month out of the journal: it is written to a file, then detached in one transaction with an event that
 * holds the file's digest and everything needed to verify the rest of the trail. Refused while a run of that month
 * still has its row.
 */
import { exportMonth, type ExportedMonth, ANCHORED_WITHIN_MS } from "@/lib/audit/retention/export-month";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { JournalMonth } from "@/lib/audit/rules/journal-month";
import { type DetachedPartition, PARTITION_DETACHED } from "@/lib/audit/rules/retained";
import { insertEvent } from "@/lib/audit/transitions/event-sql";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";

const RETENTION_LOCK = 7461006;
/** A month can be large; this delays nobody, because the writing part comes last. */
const TRANSACTION = { timeout: 4 * 60 * 60_000, maxWait: 20_000 };
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '3s'";

type Tx = Parameters<Parameters<Db["$transaction"]>[0]>[0];

/** `kept`: a run of that month still has its row. `busy`: another process is detaching. */
export type DetachOutcome =
  | { kind: "detached"; month: DetachedPartition }
  | { kind: "kept"; runId: string }
  | { kind: "busy" };

export async function detachMonth(
  db: Db,
  month: JournalMonth,
  { folder, at }: { folder: string; at: Date },
): Promise<DetachOutcome> {
  return db.$transaction(async (tx): Promise<DetachOutcome> => {
    const [lock] = await tx.$queryRaw<
      { taken: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${RETENTION_LOCK}::bigint) AS taken`;
    if (!lock?.taken) return { kind: "busy" };
    const kept = await findKept(tx, month);
    if (kept !== null) return { kind: "kept", runId: kept };
    const exported = await exportMonth(tx, month, folder);
    await tx.$executeRawUnsafe(LOCK_TIMEOUT);
    // Without this right an owner may not lock the table in releases before PostgreSQL 17.
    await tx.$executeRawUnsafe(`GRANT DELETE ON ${month.name} TO CURRENT_USER`);
    await tx.$executeRawUnsafe(`LOCK TABLE ${month.name} IN ACCESS EXCLUSIVE MODE`);
    await tx.$executeRawUnsafe(`REVOKE DELETE ON ${month.name} FROM CURRENT_USER`);
    await refuseIfGrown(tx, month, exported);
    return { kind: "detached", month: await detach(tx, month, { exported, at }) };
  }, TRANSACTION);
}

async function findKept(tx: Tx, { name }: JournalMonth): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM runs r WHERE EXISTS (SELECT 1 FROM ${Prisma.raw(name)} j WHERE j.run_id = r.id) LIMIT 1`;
  return row?.id ?? null;
}

/** A process whose clock is years behind has written; the next try includes that row. */
async function refuseIfGrown(tx: Tx, { name }: JournalMonth, { rows }: ExportedMonth): Promise<void> {
  const [now] = await tx.$queryRaw<{ rows: number }[]>`SELECT count(*)::int AS rows FROM ${Prisma.raw(name)}`;
  if (now?.rows !== rows) throw new Error(`${name} was written to while it was exported; it is exported again`);
}

async function detach(
  tx: Tx,
  month: JournalMonth,
  { exported, at }: { exported: ExportedMonth; at: Date },
): Promise<DetachedPartition> {
  const { name, from, to } = month;
  const anchors = await readAnchors(tx, month);
  await tx.$executeRawUnsafe(`ALTER TABLE journal DETACH PARTITION ${name}`);
  const data: DetachedPartition = {
    partition: name,
    from: from.toISOString(),
    to: to.toISOString(),
    rows: exported.rows,
    file: exported.file,
    digest: exported.digest,
    ...anchors,
    heads: await readHeads(tx, month),
  };
  await forgetProjected(tx, month);
  await tx.$executeRawUnsafe(`ALTER TABLE ${name} RENAME TO ${name}_detached`);
  const facts = { chainId: SYSTEM_CHAIN, type: PARTITION_DETACHED, at, actor: SYSTEM_ACTOR } as const;
  const event = insertEvent({ ...facts, data: { ...data } }, "moved");
  await tx.$executeRaw`WITH moved AS (SELECT 1) ${event}`;
  return data;
}

/** Which anchors have all their heads in detached months, and which heads of later anchors are in this month. */
async function readAnchors(
  tx: Tx,
  { name, to }: JournalMonth,
): Promise<Pick<DetachedPartition, "anchors_to" | "anchored">> {
  const last = await tx.anchor.findFirst({
    where: { createdAt: { lt: to } },
    orderBy: { seq: "desc" },
    select: { seq: true },
  });
  const until = new Date(to.getTime() + ANCHORED_WITHIN_MS);
  const anchored = await tx.$queryRaw<{ chain: string; seq: number }[]>`
    SELECT DISTINCT h ->> 0 AS chain, (h ->> 1)::int AS seq
    FROM anchors a CROSS JOIN LATERAL jsonb_array_elements(a.body::jsonb -> 'heads') AS h
    WHERE a.seq > ${last?.seq ?? 0} AND a.created_at < ${until}
      AND EXISTS (SELECT 1 FROM ${Prisma.raw(name)} j WHERE j.run_id = h ->> 0 AND j.seq = (h ->> 1)::int)`;
  return { anchors_to: last?.seq ?? 0, anchored };
}

/** For chains that continue in a later month: the row that their next row follows. */
function readHeads(tx: Tx, { name }: JournalMonth): Promise<DetachedPartition["heads"]> {
  return tx.$queryRaw<DetachedPartition["heads"]>`
    SELECT DISTINCT ON (d.run_id) d.run_id AS chain, d.seq, encode(d.hash, 'hex') AS hash FROM ${Prisma.raw(name)} d
    WHERE EXISTS (SELECT 1 FROM journal j WHERE j.run_id = d.run_id) ORDER BY d.run_id, d.seq DESC`;
}

/** Lists show only what the journal still has. */
async function forgetProjected(tx: Tx, { name }: JournalMonth): Promise<void> {
  await tx.$executeRaw`DELETE FROM events e USING ${Prisma.raw(name)} d WHERE e.chain_id = d.run_id AND e.seq = d.seq`;
  await tx.$executeRaw`DELETE FROM projected_runs p USING ${Prisma.raw(name)} d
    WHERE p.run_id = d.run_id AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.run_id = p.run_id)`;
}
