/**
 * The only way to change a run: its row, the approvals that people see and the journal row, in one statement, guarded
 * by the journal position that the writer has seen. Under a lease, owner and epoch are guarded too. If no row is
 * returned, another commit came in between and nothing was written; the caller must read what it was.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import { commitInGroup, type Db, isClient } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { createId } from "@/lib/ids";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { type Entry, linkEntry, type NewEntryEvent } from "@/lib/runs/journal/entry";
import type { EntryData, Folded } from "@/lib/runs/journal/fold";
import { keepSnapshot } from "@/lib/runs/journal/kept-snapshot";
import { isSnapshotDue, namesSnapshot, NO_PACE } from "@/lib/runs/journal/pace";
import type { RunFacts } from "@/lib/runs/changes/change";
import { approvalsOf, eventsOf, keepChange, type KeptChange, type RunChange } from "@/lib/runs/changes/registry";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import { areAsSeen, writeQuestions } from "@/lib/runs/journal/write-questions";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/** The right to advance one run, until it is taken over. Every write of a worker carries it. */
export interface Lease {
  runId: string;
  owner: string;
  epoch: number;
}

/** What happens to the run's place in the queue. */
export type QueueMove =
  /** Nothing: the writer is its worker, or gives it nothing to do. */
  | { kind: "stay" }
  /** It has something to do; a worker that already has it reads the change itself. */
  | { kind: "wake" }
  /** Nobody has it any more. */
  | { kind: "release"; wakeAt: Date | null }
  /** This worker has it from now on, if it is still as it was seen. */
  | { kind: "claim"; owner: string; until: Date; seenOwner: string | null }
  /** Whoever has it loses it. */
  | { kind: "revoke"; wakeAt: Date | null; epochs: number };

export interface Commit {
  /** As the writer has seen it, with the changes applied. */
  run: Folded;
  changes: RunChange[];
  lease: Lease | null;
  queue: QueueMove;
  at: Date;
  /** Further conditions in SQL that no journal contains: that a person may still decide, that nothing is paused. */
  guards?: Prisma.Sql[];
  /** Further rows written in the same commit, as CTEs that read from `moved`. */
  also?: Prisma.Sql[];
  /** The run is a partial copy with only what the changes touch, so no snapshot can be made from it. */
  isDraft?: boolean;
  /** Commit even if the rows of its approvals differ from the journal; this corrects them. */
  despiteRow?: boolean;
}

export type Executor = Db | Pick<Db, "$queryRaw">;

/**
 * The journal row as it would be written: the caller finds it by its hash when it does not know whether it was written.
 */
export function linkChanges({
  run,
  changes,
  at,
  isDraft,
}: Pick<Commit, "run" | "changes" | "at" | "isDraft">): Entry | null {
  if (changes.length === 0) return null;
  const rowAt = at.toISOString();
  const { events, kept } = recordChanges(changes, run.snapshot.run, rowAt);
  const data = JSON.stringify(dataOf(run, kept, !isDraft));
  const content = { chain: run.snapshot.run.id, at: rowAt, events, data };
  return linkEntry(run.head, content, auditKeys()[0]);
}

/** What a row says of the changes, and what it keeps of them besides. `at` is the time of the row. */
export function recordChanges(
  changes: readonly RunChange[],
  run: RunFacts,
  at: string,
): { events: NewEntryEvent[]; kept: KeptChange[] } {
  const all: NewEntryEvent[] = [];
  const kept = changes.map((change) => {
    const events = eventsOf(change).map((draft) => ({
      id: createId("event"),
      actor: SYSTEM_ACTOR,
      at: change.at,
      ...draft,
    }));
    all.push(...events);
    return keepChange(change, { run, at, events });
  });
  return { events: all, kept };
}

function dataOf({ snapshot, head, pace = NO_PACE }: Folded, changes: KeptChange[], isWhole: boolean): EntryData {
  const seq = head.seq + 1;
  if (!isWhole || !isSnapshotDue(pace, seq)) return { ...namesSnapshot(pace.from), changes };
  return { ...namesSnapshot(seq), changes, snapshot: keepSnapshot(snapshot) };
}

/**
 * True when it is on record. `entry` is from linkChanges; null for a commit that only changes the run's place in the
 * queue.
 */
export async function writeCommit(db: Executor, commit: Commit, entry: Entry | null): Promise<boolean> {
  const statement = commitStatement(commit, entry);
  const { id } = commit.run.snapshot.run;
  const rows = isClient(db) ? await commitInGroup(db, id, statement) : await db.$queryRaw<unknown[]>(statement);
  return rows.length > 0;
}

function commitStatement(commit: Commit, entry: Entry | null): Prisma.Sql {
  const { run, changes, at } = commit;
  const ids = new Set(changes.flatMap(approvalsOf));
  const approvals = [...ids].flatMap((id) => run.snapshot.approvals.get(id) ?? []);
  const parts = [
    ...writeQuestions(approvals, commit.despiteRow ?? false),
    ...(commit.also ?? []),
    ...(entry ? [appendEntry(entry)] : []),
  ];
  const guards = [
    ...guardsOf(commit),
    ...(approvals.length > 0 && !commit.despiteRow ? [areAsSeen(approvals)] : []),
    ...(commit.guards ?? []),
  ];
  return Prisma.sql`WITH moved AS (
      UPDATE runs SET ${Prisma.join([...columnsOf(run.snapshot, at), queueColumns(commit), ...headColumns(entry)], ", ")}
      WHERE ${Prisma.join(guards, " AND ")} RETURNING id, epoch
    )${parts.length > 0 ? Prisma.sql`, ${Prisma.join(parts, ", ")}` : Prisma.empty} SELECT id, epoch FROM moved`;
}

function guardsOf({ run, lease, queue, at }: Commit): Prisma.Sql[] {
  const place = Prisma.sql`runs.id = ${run.snapshot.run.id} AND runs.seq = ${run.head.seq}`;
  if (lease) {
    return [
      place,
      Prisma.sql`runs.lease_owner = ${lease.owner} AND runs.epoch = ${lease.epoch} AND runs.status = 'running'`,
      Prisma.sql`is_known_history()`,
    ];
  }
  if (queue.kind !== "claim") return [place];
  if (queue.seenOwner === null) return [place, Prisma.sql`runs.lease_owner IS NULL`];
  return [place, Prisma.sql`runs.lease_owner = ${queue.seenOwner} AND runs.lease_until < ${at}`];
}

/** Everything of the fold that lists and guards read. */
function columnsOf({ run }: RunSnapshot, at: Date): Prisma.Sql[] {
  const isOver = isRunSettled(run.status);
  return [
    Prisma.sql`status = ${run.status}::run_status, error = ${json(run.error)}::jsonb, updated_at = ${at},
      tokens_in = ${run.tokensIn}, tokens_out = ${run.tokensOut}, llm_calls = ${run.llmCalls}, tool_calls = ${run.toolCalls},
      cost_usd = ${run.costUsd}::numeric, active_ms = ${run.activeMs}, commits_lost_at = ${run.commitsLostAt}::timestamptz`,
    ...(isOver
      ? [
          Prisma.sql`output = ${json(run.output)}::jsonb, completed_at = ${run.completedAt}::timestamptz, secrets = NULL`,
        ]
      : []),
  ];
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

function queueColumns({ queue, at }: Commit): Prisma.Sql {
  switch (queue.kind) {
    case "stay":
      return Prisma.sql`epoch = runs.epoch`;
    case "wake":
      return Prisma.sql`wake_at = CASE WHEN runs.lease_owner IS NULL THEN ${at}::timestamptz ELSE runs.wake_at END`;
    case "release":
      return Prisma.sql`lease_owner = NULL, lease_until = NULL, wake_at = ${queue.wakeAt}::timestamptz`;
    case "claim":
      return Prisma.sql`lease_owner = ${queue.owner}, lease_until = ${queue.until}, wake_at = NULL, epoch = runs.epoch + 1`;
    case "revoke":
      return Prisma.sql`lease_owner = NULL, lease_until = NULL, wake_at = ${queue.wakeAt}::timestamptz,
        epoch = runs.epoch + ${queue.epochs}::int`;
  }
}

const headColumns = (entry: Entry | null): Prisma.Sql[] =>
  entry ? [Prisma.sql`seq = ${entry.seq}, head = ${entry.hash}`] : [];

/** The part of a statement that appends the journal row. */
export const appendEntry = ({ seq, at, body, mac, hash, data }: Entry): Prisma.Sql => Prisma.sql`written AS (
      INSERT INTO journal (run_id, seq, at, body, mac, hash, data)
      SELECT moved.id, ${seq}::int, ${at}::timestamptz, ${body}, ${mac}, ${hash}, ${data} FROM moved
    )`;
