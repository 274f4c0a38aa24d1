/** A run as it is on record: folded from its journal, with what only the row knows: who has it, and until when. */
import { missingRun } from "@/lib/audit/queries/missing-run";
import { openSecret } from "@/lib/database/secret-box";
import type { Db } from "@/lib/database/client";
import { auditKeys } from "@/lib/database/audit-keys";
import { READ_IN_GROUP } from "@/lib/database/plan-anew";
import { Prisma } from "@/lib/database/generated/client";
import { type Entry, type Head } from "@/lib/runs/journal/entry";
import { foldFromSnapshot, foldOn, foldRun, type Folded, RecordChanged } from "@/lib/runs/journal/fold";
import { ROWS_MIN } from "@/lib/runs/journal/pace";
import { findChangedColumn, type RunColumns } from "@/lib/runs/journal/run-columns";

export interface OpenRun extends Folded {
  leaseOwner: string | null;
  epoch: number;
  wakeAt: Date | null;
  /** Opens the values of secret params, at the moment they are needed. */
  openSecrets: () => Record<string, string>;
}

interface RowEnd {
  seq: number;
  head: Uint8Array;
}

interface RowOfRun extends RunColumns, RowEnd {
  id: string;
  leaseOwner: string | null;
  epoch: number;
  wakeAt: Date | null;
  secrets: Buffer | null;
}

type Statements = Pick<Db, "$queryRaw">;

export async function getOpenRun(db: Statements, runId: string): Promise<OpenRun> {
  const run = await findOpenRun(db, runId);
  if (!run) throw await missingRun(db, runId);
  return run;
}

/** Throws RecordChanged when journal or row is not what was sealed. */
export const findOpenRun = async (db: Statements, runId: string): Promise<OpenRun | null> =>
  asSealed(runId, await readOpenRun(db, runId));

/** Like `findOpenRun`, for a caller that continues it: what has ended may be left out of a long run. */
export const findRunToGoOn = async (db: Statements, runId: string): Promise<OpenRun | null> =>
  asSealed(runId, await readRunToGoOn(db, runId));

function asSealed(runId: string, read: ReadRun | null): OpenRun | null {
  if (read?.problem) throw new RecordChanged(runId, read.problem);
  return read?.run ?? null;
}

export interface ReadRun {
  run: OpenRun;
  /** How its row differs from its journal. */
  problem: string | null;
}

/** The run by its journal alone. Throws when the journal was changed. */
export async function readOpenRun(db: Statements, runId: string): Promise<ReadRun | null> {
  const rows = await readRows(db, runId, 0);
  if (rows.length === 0) return null;
  const entries = toEntries(rows);
  if (entries.length === 0) throw new RecordChanged(runId, "it has no journal");
  return toRead(rows, foldRun(runId, entries, auditKeys()));
}

/** Like `readOpenRun`, from the last snapshot on. */
export async function readRunToGoOn(db: Statements, runId: string): Promise<ReadRun | null> {
  const rows = await readFromSnapshot(db, runId);
  const entries = toEntries(rows);
  const [first] = entries;
  if (!first) return readOpenRun(db, runId);
  const isAll = first.seq === 1;
  const folded = isAll ? foldRun(runId, entries, auditKeys()) : foldFromSnapshot(runId, entries, auditKeys());
  return folded ? toRead(rows, folded) : readOpenRun(db, runId);
}

function toRead([row]: readonly StoredRow[], folded: Folded): ReadRun | null {
  return row ? { run: { ...folded, ...toLease(row) }, problem: findRowProblem(folded, row) } : null;
}

/** What others have written since, with the row of the run as it is now. */
export interface News {
  entries: Entry[];
  row: RunColumns & Pick<RowOfRun, "leaseOwner" | "epoch" | "seq" | "head">;
}

export async function readNews(db: Statements, runId: string, { seq }: Head): Promise<News | null> {
  const rows = await readRows(db, runId, seq);
  const [first] = rows;
  return first ? { entries: toEntries(rows), row: first } : null;
}

type StoredRow = RowOfRun & {
  entrySeq: number | null;
  at: Date;
  body: string;
  mac: Buffer;
  hash: Buffer;
  data: string | null;
};

/** One statement, and so one database snapshot: the row is never newer than the journal. */
function readRows(db: Statements, runId: string, after: number): Promise<StoredRow[]> {
  return db.$queryRaw<
    StoredRow[]
  >`${READ_IN_GROUP}SELECT ${ROW}, j.seq AS "entrySeq", j.at, j.body, j.mac, j.hash, j.data
    FROM runs r LEFT JOIN journal j ON j.run_id = r.id AND j.seq > ${after} AND j.at >= r.created_at - interval '1 day'
    WHERE r.id = ${runId} ORDER BY j.seq`;
}

/** The last row names the row with the last snapshot; short runs have none. */
function readFromSnapshot(db: Statements, runId: string): Promise<StoredRow[]> {
  return db.$queryRaw<
    StoredRow[]
  >`${READ_IN_GROUP}SELECT ${ROW}, j.seq AS "entrySeq", j.at, j.body, j.mac, j.hash, j.data
    FROM runs r LEFT JOIN LATERAL (
        SELECT substring(left(l.data, 32) FROM '^{"from":([0-9]+)')::int AS seq FROM journal l
        WHERE r.seq > ${ROWS_MIN} AND l.run_id = r.id AND l.seq = r.seq AND l.at >= r.created_at - interval '1 day' LIMIT 1
      ) s ON true
      LEFT JOIN journal j ON j.run_id = r.id AND j.seq >= coalesce(s.seq, 0) AND j.at >= r.created_at - interval '1 day'
    WHERE r.id = ${runId} ORDER BY j.seq`;
}

/** For a statement with the run `r`: what the journal is compared with. */
export const RUN_COLUMNS = Prisma.sql`r.status, r.workflow, r.version, r.config_hash AS "configHash",
  r.started_by_kind AS "startedByKind", r.started_by_id AS "startedById", r.started_by_name AS "startedByName",
  r.started_by_user_id AS "startedByUserId", r.retry_of_run_id AS "retryOfRunId", r.session_id AS "sessionId", r.cost_usd::float8 AS "costUsd",
  r.cost_budget_usd::float8 AS "costBudgetUsd", r.active_ms AS "activeMs", r.tokens_in AS "tokensIn",
  r.tokens_out AS "tokensOut", r.llm_calls AS "llmCalls", r.tool_calls AS "toolCalls"`;

const ROW = Prisma.sql`r.id, r.seq, r.head, r.lease_owner AS "leaseOwner", r.epoch, r.wake_at AS "wakeAt", r.secrets,
  ${RUN_COLUMNS}`;

/** A run without new entries comes as one row without an entry. */
const toEntries = (rows: readonly StoredRow[]): Entry[] =>
  rows.filter(({ entrySeq }) => entrySeq !== null).map(toEntry);

const toEntry = ({ id, entrySeq, at, body, mac, hash, data }: StoredRow): Entry => ({
  chain: id,
  seq: entrySeq ?? 0,
  at: at.toISOString(),
  body,
  mac: toBuffer(mac),
  hash: toBuffer(hash),
  data,
});

/** Within a transaction a row comes through Prisma, which returns bytes as another class. */
const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const toLease = ({ leaseOwner, epoch, wakeAt, secrets }: RowOfRun) => ({
  leaseOwner,
  epoch,
  wakeAt,
  openSecrets: () => (secrets === null ? {} : (JSON.parse(openSecret(toBuffer(secrets))) as Record<string, string>)),
});

/**
 * The columns are copies for lists and guards: if they differ from the journal, somebody has written to the database.
 */
export function findRowProblem({ snapshot, head }: Folded, row: RunColumns & RowEnd): string | null {
  if (row.seq !== head.seq || !head.hash.equals(row.head)) {
    return `its journal ends at row ${head.seq}, and its row says ${row.seq}`;
  }
  return findChangedColumn(snapshot.run, row);
}

export { foldOn };
