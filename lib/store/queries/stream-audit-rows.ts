import type { ChainHead } from "@/lib/domain/audit-anchor";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";

export type EventRow = Prisma.EventGetPayload<object>;
export type AnchorRow = Prisma.AnchorGetPayload<object>;

/** Every event, chain by chain and in order, in pieces that fit in memory. */
export async function* streamEventRows(db: Db, batch = 2000): AsyncGenerator<EventRow> {
  let last: { chainId: string; seq: number } | undefined;
  for (;;) {
    const rows: EventRow[] = await db.event.findMany({
      where: last && { OR: [{ chainId: { gt: last.chainId } }, { chainId: last.chainId, seq: { gt: last.seq } }] },
      orderBy: [{ chainId: "asc" }, { seq: "asc" }],
      take: batch,
    });
    yield* rows;
    last = rows.at(-1);
    if (rows.length < batch) return;
  }
}

export async function* streamAnchorRows(db: Db, batch = 200): AsyncGenerator<AnchorRow> {
  let after = -1;
  for (;;) {
    const rows: AnchorRow[] = await db.anchor.findMany({ where: { seq: { gt: after } }, orderBy: { seq: "asc" }, take: batch });
    yield* rows;
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < batch) return;
  }
}

/** Those heads for which no event with that place and hash exists. */
export async function findMissingHeads(db: Db, heads: ChainHead[]): Promise<ChainHead[]> {
  const chains = heads.map((head) => head.chainId);
  const seqs = heads.map((head) => head.seq);
  const hashes = heads.map((head) => head.hash);
  const rows = await db.$queryRaw<{ chain_id: string; seq: number; hash: string }[]>`
    SELECT chain_id, seq, hash FROM unnest(${chains}::text[], ${seqs}::int[], ${hashes}::text[]) AS wanted (chain_id, seq, hash)
    WHERE NOT EXISTS (
      SELECT 1 FROM events e WHERE e.chain_id = wanted.chain_id AND e.seq = wanted.seq AND e.hash = wanted.hash)`;
  return rows.map((row) => ({ chainId: row.chain_id, seq: row.seq, hash: row.hash }));
}
