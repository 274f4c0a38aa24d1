/**
 * Appends one anchor over all chains that grew since the last one. Only transactions that ended before the oldest open
 * one are covered, so that a row that commits late falls into the next anchor and never between two. One process at a
 * time does it; the others get null, as when nothing is new.
 */
import { sealAnchor } from "@/lib/audit/rules/audit-anchor";
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";

const ANCHOR_LOCK = 7461002;

interface HeadRow {
  chain: string;
  seq: number;
  hash: string;
  rows: number;
}

/** `rows` is how many rows of the journal are new. */
export async function writeAnchor(db: Db, at: Date): Promise<{ seq: number; rows: number } | null> {
  return db.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<
      { taken: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${ANCHOR_LOCK}::bigint) AS taken`;
    if (!lock?.taken) return null;
    const last = await tx.anchor.findFirst({ orderBy: { seq: "desc" } });
    const [horizon] = await tx.$queryRaw<
      { tx: bigint }[]
    >`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS tx`;
    if (!horizon) throw new Error("unreachable: a snapshot without a horizon");
    // A database restored into a new server restarts its transaction numbers; covering a row twice does no harm.
    const fromTx = last && last.toTx <= horizon.tx ? last.toTx : 0n;
    const heads = await tx.$queryRaw<HeadRow[]>`
      SELECT DISTINCT ON (run_id) run_id AS chain, seq, encode(hash, 'hex') AS hash,
        (count(*) OVER (PARTITION BY run_id))::int AS rows
      FROM journal WHERE tx >= ${fromTx} AND tx < ${horizon.tx}
      ORDER BY run_id, seq DESC`;
    if (heads.length === 0) return null;
    const seq = (last?.seq ?? 0) + 1;
    const rows = heads.reduce((sum, head) => sum + head.rows, 0);
    const facts = { seq, fromTx, toTx: horizon.tx, rows, prevHash: last?.hash ?? "" };
    const named = heads.map(({ chain, seq: place, hash }) => ({ chainId: chain, seq: place, hash }));
    const sealed = sealAnchor({ ...facts, at, heads: named }, auditKeys()[0]);
    await tx.anchor.create({ data: { ...facts, ...sealed, createdAt: at }, select: { seq: true } });
    return { seq, rows };
  });
}
