/**
 * Writes one month of the journal to a file: a line for each row, with everything needed to verify it later, the
 * anchors of that time, and a seal over all previous lines. The file gets its name when it is complete and on disk.
 */
import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import path from "node:path";
import { digestFile } from "@/lib/audit/retention/archive-file";
import { seal } from "@/lib/audit/rules/audit-event";
import type { JournalMonth } from "@/lib/audit/rules/journal-month";
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

const BATCH = 500;
/** Anchors follow the rows that they cover within moments; a day is more than enough. */
export const ANCHORED_WITHIN_MS = 86_400_000;

export interface ExportedMonth {
  file: string;
  digest: string;
  rows: number;
}

interface ExportedRow {
  chain: string;
  seq: number;
  at: Date;
  body: string;
  mac: string;
  hash: string;
  data: string | null;
  tx: bigint;
}

type Statements = Pick<Db, "$queryRaw" | "anchor">;

export async function exportMonth(db: Statements, month: JournalMonth, folder: string): Promise<ExportedMonth> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = `${month.name.replaceAll("_", "-")}.jsonl`;
  const place = path.join(folder, file);
  const handle = await open(`${place}.part`, "w", 0o600);
  let rows = 0;
  try {
    const sum = createHash("sha256");
    const write = async (line: object) => {
      const text = `${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`;
      sum.update(text);
      await handle.write(text);
    };
    await write({ journal: { month: month.name, from: month.from, to: month.to } });
    for await (const row of streamMonth(db, month)) {
      rows += 1;
      await write({ row });
    }
    for await (const anchor of streamAnchors(db, month)) await write({ anchor });
    const digest = `sha256:${sum.digest("hex")}`;
    await handle.write(`${JSON.stringify({ seal: { digest, mac: seal(digest, auditKeys()[0]) } })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${place}.part`, place);
  return { file, digest: await digestFile(place), rows };
}

/** Chain by chain and in order. */
async function* streamMonth(db: Statements, { name }: JournalMonth): AsyncGenerator<ExportedRow> {
  let [chain, seq] = ["", 0];
  for (;;) {
    const rows = await db.$queryRaw<ExportedRow[]>`
      SELECT run_id AS chain, seq, at, body, encode(mac, 'hex') AS mac, encode(hash, 'hex') AS hash, data, tx
      FROM ${Prisma.raw(name)} WHERE (run_id, seq) > (${chain}, ${seq}) ORDER BY run_id, seq LIMIT ${BATCH}`;
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    [chain, seq] = [last.chain, last.seq];
  }
}

async function* streamAnchors(db: Statements, { from, to }: JournalMonth): AsyncGenerator<object> {
  const createdAt = { gte: from, lt: new Date(to.getTime() + ANCHORED_WITHIN_MS) };
  let after = -1;
  for (;;) {
    const rows = await db.anchor.findMany({
      where: { createdAt, seq: { gt: after } },
      orderBy: { seq: "asc" },
      take: BATCH,
    });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last.seq;
  }
}
