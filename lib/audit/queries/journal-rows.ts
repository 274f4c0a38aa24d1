import type { ChainHead } from "@/lib/audit/rules/audit-anchor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { StoredEvent } from "@/lib/audit/rules/compare-run";
import {
  addRetained,
  nothingRetained,
  PARTITION_DETACHED,
  type Retained,
  RUNS_REMOVED,
} from "@/lib/audit/rules/retained";
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { type Entry, eventsOfBody, findEntryProblem, type Head } from "@/lib/runs/journal/entry";

export type AnchorRow = Prisma.AnchorGetPayload<object>;
type JournalRow = Omit<Prisma.JournalGetPayload<object>, "tx">;

export const toEntry = ({ runId, seq, at, body, mac, hash, data }: JournalRow): Entry => ({
  chain: runId,
  seq,
  at: at.toISOString(),
  body,
  mac: Buffer.from(mac),
  hash: Buffer.from(hash),
  data,
});

const ONE_MOMENT = { isolationLevel: "RepeatableRead" } as const;

/** Some rows of the chain that belongs to no run, with what lists show of them. */
export interface SystemPiece {
  entries: Entry[];
  events: StoredEvent[];
  /** Up to which row the chain is projected. */
  projected: number;
}

/** In order and in batches that fit in memory, up to the row that was the last when reading began. */
export async function* streamSystemChain(db: Db, last: number, batch = 1000): AsyncGenerator<SystemPiece> {
  let after = 0;
  for (;;) {
    const rows = await db.journal.findMany({
      where: { runId: SYSTEM_CHAIN, seq: { gt: after, lte: last } },
      orderBy: { seq: "asc" },
      take: batch,
    });
    const to = rows.at(-1)?.seq ?? last;
    const where = { chainId: SYSTEM_CHAIN, seq: { gt: after, lte: rows.length < batch ? last : to } };
    const [events, projected] = await db.$transaction(async (tx) => {
      const place = await tx.projectedRun.findUnique({ where: { runId: SYSTEM_CHAIN } });
      return [await tx.event.findMany({ where }), place] as const;
    }, ONE_MOMENT);
    yield { entries: rows.map(toEntry), events, projected: projected?.seq ?? 0 };
    after = to;
    if (rows.length < batch) return;
  }
}

/** The end of the chain according to its own row, and the journal rows beyond that end. */
export async function readSystemEnd(db: Db): Promise<{ head: Head; beyond: number[] }> {
  const [row] = await db.$queryRaw<{ seq: number; head: Buffer; beyond: number[] }[]>`SELECT seq, head,
      ARRAY(SELECT j.seq FROM journal j WHERE j.run_id = c.id AND j.seq > c.seq ORDER BY j.seq LIMIT 100) AS beyond
    FROM chains c WHERE id = ${SYSTEM_CHAIN}`;
  return { head: { seq: row?.seq ?? 0, hash: Buffer.from(row?.head ?? []) }, beyond: row?.beyond ?? [] };
}

/**
 * What sealed events say about removed runs and detached months. They are few among the events of people and settings.
 */
export async function readRetained(db: Db): Promise<Retained> {
  const retained = nothingRetained();
  const told = [PARTITION_DETACHED, RUNS_REMOVED].map((type) => ({ body: { contains: `"type":"${type}"` } }));
  const rows = await db.journal.findMany({ where: { runId: SYSTEM_CHAIN, OR: told }, orderBy: { seq: "asc" } });
  for (const entry of rows.map(toEntry)) {
    if (findEntryProblem(entry, null, auditKeys()) !== null) continue;
    for (const event of eventsOfBody(entry.body)) addRetained(retained, event);
  }
  return retained;
}

export async function* streamAnchorRows(db: Db, batch = 200): AsyncGenerator<AnchorRow> {
  let after = -1;
  for (;;) {
    const rows: AnchorRow[] = await db.anchor.findMany({
      where: { seq: { gt: after } },
      orderBy: { seq: "asc" },
      take: batch,
    });
    yield* rows;
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < batch) return;
  }
}

/** The heads for which the journal has no row with that position and hash. */
export async function findMissingHeads(db: Db, heads: readonly ChainHead[]): Promise<ChainHead[]> {
  const chains = heads.map((head) => head.chainId);
  const seqs = heads.map((head) => head.seq);
  const hashes = heads.map((head) => head.hash);
  return db.$queryRaw<ChainHead[]>`
    SELECT chain AS "chainId", seq, hash
    FROM unnest(${chains}::text[], ${seqs}::int[], ${hashes}::text[]) AS wanted (chain, seq, hash)
    WHERE NOT EXISTS (SELECT 1 FROM journal j
      WHERE j.run_id = wanted.chain AND j.seq = wanted.seq AND j.hash = decode(wanted.hash, 'hex'))`;
}
