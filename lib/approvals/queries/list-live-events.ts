import { encodeTime } from "ulid";
import { IS_UNPROJECTED, journalEvents } from "@/lib/audit/queries/journal-events";
import type { Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";

/**
 * What open pages are told about: that something changed about what people are asked, which approval, and by whom. No
 * arguments, no reasons.
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
 * More than a busy installation has between two looks. Of more the newest are told: a page asks for itself what there
 * is.
 */
const BATCH_MAX = 2_000;
/** Characters of an id that hold its time. */
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

/** People were asked by it, outside the inbox. */
const ASKS = Prisma.sql`('step.needs_human_review', 'call.outcome_unknown')`;

/**
 * The run `c` has asked people: for an approval, a review, or what became of a call. Lookups are values that are
 * compared: of an EXISTS beside another the planner may make a list of all that there are. The types are written out
 * for the index events_of_people, and what is not projected yet is read from the end of the run's journal: once for
 * each run and not for each event, because a long run has thousands of both.
 */
const ASKS_PEOPLE = Prisma.sql`coalesce((SELECT a.id FROM approvals a WHERE a.run_id = c.chain_id LIMIT 1),
  (SELECT asked.id FROM events asked WHERE asked.chain_id = c.chain_id AND asked.type IN ${ASKS} LIMIT 1),
  (SELECT asked.id FROM ${journalEvents(Prisma.sql`j.run_id = c.chain_id AND e.type IN ${ASKS}
    AND j.seq > coalesce((SELECT p.seq FROM projected_runs p WHERE p.run_id = c.chain_id), 0)`)} asked LIMIT 1)) IS NOT NULL`;

/** Below every id that is given from this moment on. */
export const eventIdAt = (at: Date): string => `evt_${encodeTime(at.getTime(), TIME_LENGTH).toLowerCase()}`;

/** An id is given before its transaction commits, mostly some milliseconds before. */
const COMMIT_MS = 1_000;

/** Below every id of what a page does not show that was read at this moment. */
export const unseenFrom = (readAt: Date): string => eventIdAt(new Date(readAt.getTime() - COMMIT_MS));

/** What a look saw: events that were not visible to the look before, and what the next one begins with. */
export interface LiveLook {
  events: LiveEvent[];
  /** As Postgres writes a snapshot: `xmin:xmax:those between that had not ended`. */
  snapshot: string;
}

interface LookFrom {
  /** Of the look before; null for the first one, which sees all since a moment. */
  snapshot: string | null;
  /**
   * Older ones are not told, whatever happened: a transaction that stays open for hours does not make each look read
   * hours.
   */
  since: string;
}

/**
 * Events of runs that ask people, in the order of their ids. Each is in exactly one look: an id is given before its
 * transaction commits, so that time says nothing about which events are new, and what one snapshot sees and the one
 * before did not see does.
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

/** Ids are found by the projection, and what it does not have yet is the end of the journal. */
function knownSince(sinceId: string): Prisma.Sql {
  const columns = Prisma.sql`id, type, chain_id, actor_id, actor_kind::text, actor_name, data`;
  const tail = journalEvents(Prisma.sql`${IS_UNPROJECTED} AND ${isTold(sinceId)}`);
  return Prisma.sql`(SELECT ${columns} FROM events e WHERE ${isTold(sinceId)} UNION ALL SELECT ${columns} FROM ${tail} n)`;
}

const isTold = (sinceId: string): Prisma.Sql => Prisma.sql`e.id > ${sinceId} AND e.type = ANY (${TYPES})`;

/**
 * By the number of the transaction alone, which leads to the end of the table; what that still finds and is known is
 * left out row by row.
 */
function notSeenBy(snapshot: string, sinceId: string): Prisma.Sql {
  const [oldest = ""] = snapshot.split(":");
  return Prisma.sql`j.tx >= ${BigInt(oldest)} AND NOT pg_visible_in_snapshot(j.tx::text::xid8, ${snapshot}::pg_snapshot)
    AND ${isTold(sinceId)}`;
}
