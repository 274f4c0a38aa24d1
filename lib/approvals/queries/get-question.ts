/** A question as its run's journal has it, and what in its rows differs from that. */
import { type ApprovalInRun, noApproval, toApprovalView } from "@/lib/approvals/queries/get-approval";
import { type ApprovalColumns, findChangedApproval } from "@/lib/approvals/rules/changed-approval";
import type { Db } from "@/lib/database/client";
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

type StoredRow = ApprovalColumns & { runId: string; run: RunEnd };
type RunEnd = RunColumns & Pick<OpenRun, "leaseOwner" | "epoch"> & { seq: number; head: string; wakeAt: string | null };

/**
 * Row and journal are read by two statements: if they differ because the run advanced in between, both are read again.
 */
const READS_MAX = 5;

/** Throws RecordChanged when the journal itself was changed. */
export async function getQuestion(db: Db, approvalId: string): Promise<Question> {
  for (let reads = 1; ; reads += 1) {
    const row = await readRow(db, approvalId);
    const read = await readRunOf(db, approvalId, row);
    if (!read) throw noApproval(approvalId);
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

/** For a long run, ended parts are left out unless the question is among them. */
async function readRunOf(db: Db, approvalId: string, row: StoredRow): Promise<ReadRun | null> {
  const read = takeKept(db, row) ?? (await readRunToGoOn(db, row.runId));
  const isLeftOut = read?.run.isPart && !read.run.snapshot.approvals.has(approvalId);
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

async function readRow(db: Db, approvalId: string): Promise<StoredRow> {
  const [row] = await db.$queryRaw<StoredRow[]>`${READ_IN_GROUP}SELECT a.run_id AS "runId", ${APPROVAL_COLUMNS},
      (SELECT to_json(c) FROM (SELECT r.seq, encode(r.head, 'hex') AS head, r.lease_owner AS "leaseOwner", r.epoch,
        r.wake_at AS "wakeAt", ${RUN_COLUMNS}) AS c) AS run
    FROM approvals a JOIN runs r ON r.id = a.run_id WHERE a.id = ${approvalId}`;
  if (!row) throw noApproval(approvalId);
  return row;
}
