import { encodeTime } from "ulid";
import type { Statements } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { PLAN_ANEW } from "@/lib/store/plan-anew";

/** What open pages are told about: that something changed about what people are asked, which approval, and by whom. No arguments, no reasons. */
export interface LiveEvent {
  id: string;
  type: string;
  runId: string;
  approvalId: string | null;
  callId: string | null;
  verdict: string | null;
  actor: { id: string; kind: string; name: string };
}

/** More than a busy installation has between two looks. Of more the newest are told: a page asks for itself what there is. */
const BATCH_MAX = 2_000;
/** Characters of an id that hold its time. */
const TIME_LENGTH = 10;
const TYPES = [
  "approval.requested", "approval.decided", "approval.expired", "approval.extended", "approval.escalated", "approval.set_aside", "approval.taken_up",
  "call.executing", "call.succeeded", "call.failed", "call.outcome_unknown", "call.asked_again", "call.denied", "call.settled",
  "step.needs_human_review", "step.reviewed",
  "run.cancelled", "run.completed", "run.failed",
];

/**
 * The run of an event has asked people: for an approval, a review, or what became of a call. Lookups are values that are compared: of an EXISTS beside another the planner
 * may make a list of all that there are. The types are written out for the index events_of_people.
 */
const ASKS_PEOPLE = Prisma.sql`coalesce((SELECT a.id FROM approvals a WHERE a.run_id = e.chain_id LIMIT 1),
  (SELECT asked.id FROM events asked WHERE asked.chain_id = e.chain_id AND asked.type IN ('step.needs_human_review', 'call.outcome_unknown') LIMIT 1)) IS NOT NULL`;

/** Below every id that is given from this moment on. */
export const eventIdAt = (at: Date): string => `evt_${encodeTime(at.getTime(), TIME_LENGTH).toLowerCase()}`;

/** What a look saw: events that were not visible to the look before, and what the next one begins with. */
export interface LiveLook {
  events: LiveEvent[];
  /** As Postgres writes a snapshot: `xmin:xmax:those between that had not ended`. */
  snapshot: string;
}

interface LookFrom {
  /** Of the look before; null for the first one, which sees all since a moment. */
  snapshot: string | null;
  /** Older ones are not told, whatever happened: a transaction that stays open for hours does not make each look read hours. */
  since: Date;
}

/**
 * Events of runs that ask people, in the order of their ids. Each is in exactly one look: an id is given before its transaction commits, so that time
 * says nothing about which events are new, and what one snapshot sees and the one before did not see does.
 */
export async function lookAtEvents(db: Statements, { snapshot, since }: LookFrom): Promise<LiveLook> {
  const sinceId = eventIdAt(since);
  const [row] = await db.$queryRaw<LiveLook[]>`${PLAN_ANEW}
    WITH found AS MATERIALIZED (SELECT e.id, e.type, e.chain_id, e.actor_id, e.actor_kind, e.actor_name, e.body FROM events e WHERE ${snapshot === null ? Prisma.sql`e.id > ${sinceId}` : notSeenBy(snapshot)} AND e.type = ANY (${TYPES})),
    told AS (SELECT e.*, e.body::json -> 'data' AS data FROM found e WHERE e.id > ${sinceId} AND ${ASKS_PEOPLE} ORDER BY e.id DESC LIMIT ${BATCH_MAX})
    SELECT pg_current_snapshot()::text AS snapshot, coalesce(json_agg(json_build_object('id', id, 'type', type, 'runId', chain_id, 'approvalId', data ->> 'approval_id', 'callId', data ->> 'call_id',
      'verdict', data ->> 'verdict', 'actor', json_build_object('id', actor_id, 'kind', actor_kind, 'name', actor_name)) ORDER BY id), '[]'::json) AS events
    FROM told`;
  if (!row) throw new Error("unreachable: an aggregate without a row");
  return row;
}

/** By the number of the transaction alone, which leads to the end of the table; what that still finds and is known is left out row by row. */
function notSeenBy(snapshot: string): Prisma.Sql {
  const [oldest = ""] = snapshot.split(":");
  return Prisma.sql`e.tx >= ${BigInt(oldest)} AND NOT pg_visible_in_snapshot(e.tx::text::xid8, ${snapshot}::pg_snapshot)`;
}
