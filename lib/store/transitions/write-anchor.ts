/**
 * Appends one anchor over all chains that grew since the last one. Only transactions that ended before the oldest one still
 * open are covered, so that an event that commits late falls into the next anchor and never between two. One process at a
 * time does it; the others get null, as when nothing is new.
 */
import { sealAnchor } from "@/lib/domain/audit-anchor";
import { auditKeys } from "@/lib/store/audit-keys";
import type { Db } from "@/lib/store/client";

const ANCHOR_LOCK = 7461002;

interface HeadRow {
  chain_id: string;
  seq: number;
  hash: string;
  events: number;
}

export async function writeAnchor(db: Db, at: Date): Promise<{ seq: number; events: number } | null> {
  return db.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(${ANCHOR_LOCK}::bigint) AS taken`;
    if (!lock?.taken) return null;
    const last = await tx.anchor.findFirst({ orderBy: { seq: "desc" } });
    const [horizon] = await tx.$queryRaw<{ tx: bigint }[]>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS tx`;
    if (!horizon) throw new Error("unreachable: a snapshot without a horizon");
    // A database restored into a new server counts its transactions anew; covering an event twice does no harm.
    const fromTx = last && last.toTx <= horizon.tx ? last.toTx : 0n;
    const heads = await tx.$queryRaw<HeadRow[]>`
      SELECT DISTINCT ON (chain_id) chain_id, seq, hash, (count(*) OVER (PARTITION BY chain_id))::int AS events
      FROM events WHERE tx >= ${fromTx} AND tx < ${horizon.tx}
      ORDER BY chain_id, seq DESC`;
    if (heads.length === 0) return null;
    const seq = (last?.seq ?? 0) + 1;
    const events = heads.reduce((sum, head) => sum + head.events, 0);
    const facts = { seq, fromTx, toTx: horizon.tx, events, prevHash: last?.hash ?? "", at };
    const sealed = sealAnchor({ ...facts, heads: heads.map((head) => ({ chainId: head.chain_id, seq: head.seq, hash: head.hash })) }, auditKeys()[0]);
    await tx.anchor.create({
      data: { seq, fromTx, toTx: horizon.tx, events, prevHash: facts.prevHash, createdAt: at, body: sealed.body, mac: sealed.mac, hash: sealed.hash },
      select: { seq: true },
    });
    return { seq, events };
  });
}
