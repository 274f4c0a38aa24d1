/**
 * Changes a run from outside its worker: a person decides, a timer expires. The run is read and the change built from
 * it; when another commit came in between it is read again, a few times, and then under a lock, so that a busy worker
 * cannot keep a person out.
 */
import { missingRun } from "@/lib/audit/queries/missing-run";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { pause, type PausePoint } from "@/lib/pause";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { type Commit, type Executor, linkChanges, type QueueMove, writeCommit } from "@/lib/runs/journal/commit";
import { moveHead, RecordChanged } from "@/lib/runs/journal/fold";
import { type OpenRun, readOpenRun, readRunToGoOn } from "@/lib/runs/journal/open-run";

const TRIES_WITHOUT_LOCK = 3;
const TRANSACTION_MS_MAX = 20_000;

export interface OutsideChange<T> {
  changes: RunChange[];
  queue: QueueMove;
  guards?: Prisma.Sql[];
  also?: Prisma.Sql[];
  /** What the caller gets when it is on record. */
  done: T;
}

/** Builds the change from the run that was read. A refusal is thrown; null means that there is nothing to change. */
export type BuildChange<T> = (run: OpenRun) => OutsideChange<T> | null;

export type ChangeOutcome<T> =
  | { kind: "done"; done: T; run: OpenRun }
  | { kind: "nothing" }
  /** One of the guards does not hold. */
  | { kind: "refused" };

export interface HowToChange<T> {
  build: BuildChange<T>;
  at: Date;
  /** The run, if the caller already has it; it is not used again after a conflict. */
  first?: OpenRun;
  /** Commit even if rows of the run or its approvals differ from its journal: for changes that send nothing. */
  despiteRow?: boolean;
  /** The pause points around each attempt to commit. */
  pauses?: Pauses;
}

interface Pauses {
  before: () => Promise<void> | undefined;
  after: () => Promise<void> | undefined;
}

export const pausesAround = (name: CommitName, subject: string): Pauses => ({
  before: () => pause(`${name}:before-commit`, subject),
  after: () => pause(`${name}:after-commit`, subject),
});

type CommitName = PausePoint extends infer Point ? (Point extends `${infer Name}:before-commit` ? Name : never) : never;

export async function changeRun<T>(db: Db, runId: string, how: HowToChange<T>): Promise<ChangeOutcome<T>> {
  let before: OpenRun | null = null;
  for (let tries = 0; tries < TRIES_WITHOUT_LOCK; tries += 1) {
    const run = tries === 0 && how.first ? how.first : await readRun(db, runId, how);
    if (before && isUnchanged(before, run)) return { kind: "refused" };
    const outcome = await tryOrReadAll(db, run, how);
    if (outcome) return outcome;
    before = run;
  }
  return db.$transaction((tx) => changeLockedRun(tx, runId, how), { timeout: TRANSACTION_MS_MAX });
}

/** Within the caller's transaction: other changes of the run wait until it ends; rows that only reference it do not. */
export async function changeLockedRun<T>(tx: Executor, runId: string, how: HowToChange<T>): Promise<ChangeOutcome<T>> {
  await tx.$queryRaw`SELECT 1 FROM runs WHERE id = ${runId} FOR NO KEY UPDATE`;
  return (await tryOrReadAll(tx, await readRun(tx, runId, how), how)) ?? { kind: "refused" };
}

interface HowToRead {
  despiteRow?: boolean;
  /** Read a long run completely, including what has ended. */
  isAll?: boolean;
}

async function readRun(db: Executor, runId: string, { despiteRow, isAll }: HowToRead): Promise<OpenRun> {
  const read = await (isAll ? readOpenRun : readRunToGoOn)(db, runId);
  if (!read) throw await missingRun(db, runId);
  if (read.problem && !despiteRow) throw new RecordChanged(runId, read.problem);
  return read.run;
}

/** Nothing came in between, so a guard refused the commit. */
const isUnchanged = (before: OpenRun, now: OpenRun): boolean =>
  before.head.seq === now.head.seq && before.epoch === now.epoch && before.leaseOwner === now.leaseOwner;

/**
 * A change that is refused or finds nothing to do may concern something that has ended, and was left out of a long run.
 */
async function tryOrReadAll<T>(db: Executor, run: OpenRun, how: HowToChange<T>): Promise<ChangeOutcome<T> | null> {
  const all = () => readRun(db, run.snapshot.run.id, { ...how, isAll: true });
  let built: OutsideChange<T> | null;
  try {
    built = how.build(run);
  } catch (error) {
    if (!run.isPart) throw error;
    return tryOrReadAll(db, await all(), how);
  }
  if (built) return tryOnce(db, run, { ...how, built });
  return run.isPart ? tryOrReadAll(db, await all(), how) : { kind: "nothing" };
}

/** Null when another commit came in between, or a guard does not hold. The snapshot is unusable then. */
async function tryOnce<T>(
  db: Executor,
  run: OpenRun,
  { at, pauses, despiteRow = false, built }: HowToChange<T> & { built: OutsideChange<T> },
): Promise<ChangeOutcome<T> | null> {
  const { changes, queue, done, guards, also } = built;
  for (const change of changes) applyChange(run.snapshot, change);
  const commit: Commit = {
    run,
    changes,
    queue,
    lease: null,
    at,
    despiteRow,
    ...(guards && { guards }),
    ...(also && { also }),
  };
  const entry = linkChanges(commit);
  await pauses?.before();
  const isWritten = await writeCommit(db, commit, entry);
  await pauses?.after();
  if (!isWritten) return null;
  if (entry) moveHead(run, entry);
  if (queue.kind === "claim") Object.assign(run, { leaseOwner: queue.owner, epoch: run.epoch + 1, wakeAt: null });
  return { kind: "done", done, run };
}
