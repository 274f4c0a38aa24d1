/** What the projector reads: how far each chain is, and the journal rows that it needs. */
import type { Db, Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ONCE } from "@/lib/database/plan-anew";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { StoredEntry } from "@/lib/runs/projections/projected-rows";

/** Progress of one chain: the end of its journal, and how much of it is projected. */
export interface Standing {
  id: string;
  seq: number;
  projected: number;
  /** The run was removed by retention; its trail is still there. */
  isRemoved?: boolean;
}

export function listStandings(db: Db, ids: readonly string[]): Promise<Standing[]> {
  return db.$queryRaw<
    Standing[]
  >`${PLAN_ONCE}SELECT w.id, coalesce(r.seq, c.seq, 0) AS seq, coalesce(p.seq, 0) AS projected
    FROM unnest(${ids}::text[]) AS w (id) LEFT JOIN runs r ON r.id = w.id LEFT JOIN chains c ON c.id = w.id
      LEFT JOIN projected_runs p ON p.run_id = w.id`;
}

/** Chains whose journal extends beyond what is projected, in the order of their ids; the system chain comes first. */
export function listBehind(db: Db, afterId: string, limit: number): Promise<Standing[]> {
  const system = Prisma.sql`SELECT c.id, c.seq, coalesce(p.seq, 0) AS projected FROM chains c
      LEFT JOIN projected_runs p ON p.run_id = c.id
    WHERE ${afterId} = '' AND c.id = ${SYSTEM_CHAIN} AND c.seq > coalesce(p.seq, 0)`;
  return db.$queryRaw<Standing[]>`(${system}) UNION ALL (
    SELECT r.id, r.seq, coalesce(p.seq, 0) FROM runs r LEFT JOIN projected_runs p ON p.run_id = r.id
    WHERE r.id > ${afterId} AND r.seq > coalesce(p.seq, 0) ORDER BY r.id LIMIT ${limit})`;
}

/** Like `listBehind`, including the trails of removed runs. `isAll` says whether there are no more. */
export async function listToFill(
  db: Db,
  afterId: string,
  limit: number,
): Promise<{ chains: Standing[]; isAll: boolean }> {
  const behind = await listBehind(db, afterId, limit);
  const isLast = behind.length < limit;
  // Only up to the last of the others, so that no more of the journal is read.
  const upTo = isLast ? Prisma.empty : Prisma.sql`AND j.run_id <= ${behind.at(-1)?.id}`;
  const removed = await db.$queryRaw<Standing[]>`
    SELECT j.run_id AS id, max(j.seq) AS seq, coalesce(max(p.seq), 0) AS projected, true AS "isRemoved"
    FROM journal j LEFT JOIN projected_runs p ON p.run_id = j.run_id
    WHERE j.run_id > ${afterId} AND j.run_id <> ${SYSTEM_CHAIN} ${upTo} AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = j.run_id)
    GROUP BY j.run_id HAVING max(j.seq) > coalesce(max(p.seq), 0) ORDER BY j.run_id LIMIT ${limit}`;
  const all = [...behind, ...removed].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return { chains: all.slice(0, limit), isAll: all.length < limit };
}

/** Rows of one chain, in order. */
export interface ChainRows {
  projected: number;
  entries: StoredEntry[];
}

interface Row {
  chain: string;
  seq: number;
  at: Date;
  body: string;
  mac: Uint8Array;
  hash: Uint8Array;
  data: string | null;
  tx: bigint;
  projected: number;
}

/** The rows of a chain after one, up to another. */
export interface Stretch {
  id: string;
  after: number;
  last: number;
}

export async function readEntries(db: Statements, wanted: readonly Stretch[]): Promise<Map<string, ChainRows>> {
  const column = (name: keyof Stretch) => wanted.map((each) => each[name]);
  const rows = await db.$queryRaw<
    Row[]
  >`${PLAN_ONCE}SELECT j.run_id AS chain, j.seq, j.at, j.body, j.mac, j.hash, j.data, j.tx,
      coalesce(p.seq, 0) AS projected
    FROM unnest(${column("id")}::text[], ${column("after")}::int[], ${column("last")}::int[]) AS w (id, after, last)
      LEFT JOIN runs r ON r.id = w.id LEFT JOIN projected_runs p ON p.run_id = w.id
      JOIN journal j ON j.run_id = w.id AND j.seq > w.after AND j.seq <= w.last
        AND j.at >= coalesce(r.created_at - interval '1 day', '-infinity')
    ORDER BY j.run_id, j.seq`;
  const chains = new Map<string, ChainRows>();
  for (const { projected, ...row } of rows) {
    const found = chains.get(row.chain) ?? { projected, entries: [] };
    found.entries.push(toEntry(row));
    chains.set(row.chain, found);
  }
  return chains;
}

const toEntry = ({ mac, hash, at, tx, ...row }: Omit<Row, "projected">): StoredEntry => ({
  ...row,
  mac: Buffer.from(mac),
  hash: Buffer.from(hash),
  at: at.toISOString(),
  tx: String(tx),
});
