import { encodeTime } from "ulid";
import { IS_UNPROJECTED, journalEvents } from "@/lib/audit/queries/journal-events";
import type { Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";

/**
 * What open pages are notified of: that something changed about an approval, which one, and by whom. No arguments, no
 * reasons.
 */
export interface LiveEvent {
  id: string;
  type: string;
  runId: string;
  approvalId: string | null;
  callId: string | null;
  verdict: string | null;
  actor: { id: string; kind: string; name: string };
}

/**
 * More than a busy installation has between two looks. If there are more, only the newest are reported, because a page
 * queries the current state itself.
 */
const BATCH_MAX = 2_000;
/** Number of characters of an id that encode its time. */
const TIME_LENGTH = 10;
const TYPES = [
  "approval.requested",
  "approval.decided",
  "approval.expired",
  "approval.extended",
  "approval.escalated",
  "approval.set_aside",
  "approval.taken_up",
  "call.executing",
  "call.succeeded",
  "call.failed",
  "call.outcome_unknown",
  "call.asked_again",
  "call.denied",
  "call.settled",
  "step.needs_human_review",
  "step.reviewed",
  "run.cancelled",
  "run.completed",
  "run.failed",
];

/** Events that ask people outside the inbox. */
const ASKS = Prisma.sql`('step.needs_human_review', 'call.outcome_unknown')`;

/**
 * Whether the run `c` has asked people: for an approval, a review, or what became of a call. The lookups are scalar
 * subqueries, because for several EXISTS the planner may build a list of all rows. The types are literals for the index
 * events_of_people, and what is not projected yet is read from the end of the run's journal: once per run and not per
 * event, because a long run has thousands of both.
 */
const ASKS_PEOPLE = Prisma.sql`coalesce((SELECT a.id FROM approvals a WHERE a.run_id = c.chain_id LIMIT 1),
  (SELECT asked.id FROM events asked WHERE asked.chain_id = c.chain_id AND asked.type IN ${ASKS} LIMIT 1),
  (SELECT asked.id FROM ${journalEvents(Prisma.sql`j.run_id = c.chain_id AND e.type IN ${ASKS}
    AND j.seq > coalesce((SELECT p.seq FROM projected_runs p WHERE p.run_id = c.chain_id), 0)`)} asked LIMIT 1)) IS NOT NULL`;

/** Sorts below every id that is created from this moment on. */
export const eventIdAt = (at: Date): string => `evt_${encodeTime(at.getTime(), TIME_LENGTH).toLowerCase()}`;

/** An id is created before its transaction commits, usually some milliseconds before. */
const COMMIT_MS = 1_000;

/** Sorts below the id of every event that a page read at this moment may not show. */
export const unseenFrom = (readAt: Date): string => eventIdAt(new Date(readAt.getTime() - COMMIT_MS));

/** One look: events that were not visible to the look before, and the snapshot that the next look starts from. */
export interface LiveLook {
  events: LiveEvent[];
  /** As Postgres writes a snapshot: `xmin:xmax:` and the transactions between them that had not ended. */
  snapshot: string;
}

interface LookFrom {
  /** Of the look before; null for the first one, which returns everything since `since`. */
  snapshot: string | null;
  /**
   * Older events are never reported, so that a transaction that stays open for hours does not make each look read
   * hours.
   */
  since: string;
}

/**
 * Events of runs that ask people, in the order of their ids. Each is in exactly one look. Ids are created before their
 * transaction commits, so time does not say which events are new; the difference between two snapshots does.
 */
export async function lookAtEvents(db: Statements, { snapshot, since }: LookFrom): Promise<LiveLook> {
  const found = snapshot === null ? knownSince(since) : journalEvents(notSeenBy(snapshot, since));
  const [row] = await db.$queryRaw<LiveLook[]>`${PLAN_ANEW}
    WITH found AS MATERIALIZED (SELECT id, type, chain_id, actor_id, actor_kind, actor_name, data FROM ${found} f),
    asking AS MATERIALIZED (SELECT c.chain_id FROM (SELECT DISTINCT chain_id FROM found) c WHERE ${ASKS_PEOPLE}),
    told AS (SELECT t.* FROM found t JOIN asking USING (chain_id) ORDER BY t.id DESC LIMIT ${BATCH_MAX})
    SELECT pg_current_snapshot()::text AS snapshot, coalesce(json_agg(json_build_object('id', id, 'type', type,
      'runId', chain_id, 'approvalId', data ->> 'approval_id', 'callId', data ->> 'call_id', 'verdict', data ->> 'verdict',
      'actor', json_build_object('id', actor_id, 'kind', actor_kind, 'name', actor_name)) ORDER BY id), '[]'::json) AS events
    FROM told`;
  if (!row) throw new Error("unreachable: an aggregate without a row");
  return row;
}

/** Projected events are found by id; events not yet projected are at the end of the journal. */
function knownSince(sinceId: string): Prisma.Sql {
  const columns = Prisma.sql`id, type, chain_id, actor_id, actor_kind::text, actor_name, data`;
  const tail = journalEvents(Prisma.sql`${IS_UNPROJECTED} AND ${isTold(sinceId)}`);
  return Prisma.sql`(SELECT ${columns} FROM events e WHERE ${isTold(sinceId)} UNION ALL SELECT ${columns} FROM ${tail} n)`;
}

const isTold = (sinceId: string): Prisma.Sql => Prisma.sql`e.id > ${sinceId} AND e.type = ANY (${TYPES})`;

/**
 * By transaction number alone, which leads to the end of the table; rows that were already seen are filtered out one by
 * one.
 */
function notSeenBy(snapshot: string, sinceId: string): Prisma.Sql {
  const [oldest = ""] = snapshot.split(":");
  return Prisma.sql`j.tx >= ${BigInt(oldest)} AND NOT pg_visible_in_snapshot(j.tx::text::xid8, ${snapshot}::pg_snapshot)
    AND ${isTold(sinceId)}`;
}
