/** A question as its run's journal has it, and what in its rows differs from that. */
import { type ApprovalInRun, noApproval, toApprovalView } from "@/lib/approvals/queries/get-approval";
import { type ApprovalColumns, findChangedApproval } from "@/lib/approvals/rules/changed-approval";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { READ_IN_GROUP } from "@/lib/database/plan-anew";
import { APPROVAL_COLUMNS } from "@/lib/runs/journal/changed-questions";
import { RecordChanged } from "@/lib/runs/journal/fold";
import {
  findRowProblem,
  type OpenRun,
  type ReadRun,
  readOpenRun,
  readRunToGoOn,
  RUN_COLUMNS,
} from "@/lib/runs/journal/open-run";
import { takeParked } from "@/lib/runs/journal/run-cache";
import type { RunColumns } from "@/lib/runs/journal/run-columns";

export interface Question {
  view: ApprovalInRun;
  run: OpenRun;
  /** What was changed in the database; null when rows and journal agree. */
  problem: string | null;
}

type StoredRow = ApprovalColumns & { approvalId: string; runId: string; run: RunEnd };
type RunEnd = RunColumns & Pick<OpenRun, "leaseOwner" | "epoch"> & { seq: number; head: string; wakeAt: string | null };

/**
 * Row and journal are read by two statements: if they differ because the run advanced in between, both are read again.
 */
const READS_MAX = 5;

/** Throws RecordChanged when the journal itself was changed. */
export async function getQuestion(db: Db, approvalId: string): Promise<Question> {
  const question = await readQuestion(
    db,
    async () => (await readRows(db, Prisma.sql`a.id = ${approvalId}`))[0] ?? null,
  );
  if (!question) throw noApproval(approvalId);
  return question;
}

/** The question of the run, found with the run in one read; null when none or several wait. */
export async function findOnlyQuestion(db: Db, runId: string): Promise<Question | null> {
  const isPending = Prisma.sql`a.run_id = ${runId} AND a.status = 'pending'`;
  const question = await readQuestion(db, async () => {
    const [row, other] = await readRows(db, isPending);
    return row && !other ? row : null;
  });
  const approvals = question?.run.snapshot.approvals.values() ?? [];
  const pending = [...approvals].filter(({ status }) => status === "pending");
  return question && pending.length === 1 ? question : null;
}

async function readQuestion(db: Db, readRow: () => Promise<StoredRow | null>): Promise<Question | null> {
  for (let reads = 1; ; reads += 1) {
    const row = await readRow();
    if (!row) return null;
    const { approvalId } = row;
    const read = await readRunOf(db, row);
    if (!read) return null;
    const { run } = read;
    const sealed = run.snapshot.approvals.get(approvalId);
    if (!sealed) throw new RecordChanged(row.runId, `no row of its journal asks the question ${approvalId}`);
    const changed = findChangedApproval(row, sealed);
    const isOfOneMoment = row.run.seq === run.head.seq;
    if (changed && !isOfOneMoment && reads < READS_MAX) continue;
    const problem = read.problem ?? (isOfOneMoment ? changed : null);
    return { view: toApprovalView(run.snapshot, sealed), run, problem };
  }
}

/** Of a long run what has ended is left out, unless the question is among it. */
async function readRunOf(db: Db, row: StoredRow): Promise<ReadRun | null> {
  const read = takeKept(db, row) ?? (await readRunToGoOn(db, row.runId));
  const isLeftOut = read?.run.isPart && !read.run.snapshot.approvals.has(row.approvalId);
  return isLeftOut ? readOpenRun(db, row.runId) : read;
}

/** The parked run that this process kept, if nothing was written to it since. */
function takeKept(db: Db, { runId, run: row }: StoredRow): ReadRun | null {
  const kept = takeParked(db, runId, row.seq);
  if (!kept) return null;
  const wakeAt = row.wakeAt === null ? null : new Date(row.wakeAt);
  const run = Object.assign(kept, { leaseOwner: row.leaseOwner, epoch: row.epoch, wakeAt });
  return { run, problem: findRowProblem(run, { ...row, head: Buffer.from(row.head, "hex") }) };
}

/** Two at most: that there is more than one is all that a second says. */
function readRows(db: Db, where: Prisma.Sql): Promise<StoredRow[]> {
  return db.$queryRaw<
    StoredRow[]
  >`${READ_IN_GROUP}SELECT a.id AS "approvalId", a.run_id AS "runId", ${APPROVAL_COLUMNS},
      (SELECT to_json(c) FROM (SELECT r.seq, encode(r.head, 'hex') AS head, r.lease_owner AS "leaseOwner", r.epoch,
        r.wake_at AS "wakeAt", ${RUN_COLUMNS}) AS c) AS run
    FROM approvals a JOIN runs r ON r.id = a.run_id WHERE ${where} LIMIT 2`;
}
