import type { NoticeFacts, NoticeType } from "@/lib/notices/rules/notice";
import { journalEvents } from "@/lib/audit/queries/journal-events";
import type { Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { RecordChanged } from "@/lib/runs/journal/fold";
import { findOpenRun } from "@/lib/runs/journal/open-run";
import { STARTERS } from "@/lib/runs/queries/starters-sql";

/**
 * The position up to which the journal was read. Transactions are numbered in the order in which they begin; several
 * rows, each with several events, may be of one transaction.
 */
export interface EventPlace {
  tx: bigint;
  id: string;
}

export interface NoticeEvent {
  place: EventPlace;
  type: NoticeType;
  facts: NoticeFacts;
}

interface EventRow {
  id: string;
  tx: bigint;
  type: string;
  facts: NoticeFacts;
}

const TYPES = [
  "approval.requested",
  "approval.escalated",
  "approval.expired",
  "approval.decided",
  "call.outcome_unknown",
  "run.failed",
  "run.parked",
];

export interface NoticeQuery {
  after: EventPlace;
  /** None of this transaction or a later one, because some of those may still be open. */
  before: bigint;
  limit: number;
}

/** Events that channels can be notified of, in the order of the transactions. */
export async function listNoticeEvents(db: Statements, query: NoticeQuery): Promise<NoticeEvent[]> {
  const rows = await readEvents(db, query);
  const callOf = await readCalls(db, rows);
  return rows.map(({ id, tx, type, facts }) => ({
    place: { tx, id },
    type: (type === "run.parked" ? "run.needs_human_review" : type) as NoticeType,
    facts: { ...facts, ...callOf(facts) },
  }));
}

function readEvents(db: Statements, { after, before, limit }: NoticeQuery): Promise<EventRow[]> {
  const which = Prisma.sql`j.tx >= ${after.tx} AND j.tx < ${before} AND (j.tx > ${after.tx} OR e.id > ${after.id})
    AND e.type = ANY (${TYPES}) AND (e.type <> 'run.parked' OR e.data ->> 'status' = 'needs_human_review')`;
  return db.$queryRaw<EventRow[]>`${PLAN_ANEW}
    SELECT e.id, e.tx, e.type, jsonb_build_object('at', e.at, 'runId', r.id, 'workflow', r.workflow,
        'callId', coalesce(a.call_id, e.data ->> 'call_id'), 'agent', nullif(a.agent, ''), 'server', a.server, 'tool', a.tool,
        'danger', a.danger,
        'approval', CASE WHEN a.id IS NOT NULL THEN jsonb_build_object('id', a.id, 'approvers', to_jsonb(a.approvers),
          'selfApproval', a.self_approval, 'starterIds', to_jsonb(${STARTERS}), 'expiresAt', a.expires_at) END,
        'decided', CASE WHEN e.type = 'approval.decided' THEN jsonb_strip_nulls(jsonb_build_object(
          'by', coalesce(p.name, e.actor_name), 'verdict', e.data ->> 'verdict',
          'token', CASE WHEN p.id IS NOT NULL THEN e.actor_name END)) END,
        'code', CASE WHEN e.type = 'run.failed' THEN e.data ->> 'code' END) AS facts
    FROM ${journalEvents(which)} e
    JOIN runs r ON r.id = e.chain_id
    LEFT JOIN users p ON e.actor_kind = 'token' AND p.id = e.actor ->> 'userId'
    LEFT JOIN approvals a ON a.id = e.data ->> 'approval_id'
    ORDER BY e.tx, e.id LIMIT ${limit}`;
}

type CallFacts = Partial<Pick<NoticeFacts, "agent" | "server" | "tool" | "danger">>;

/** A call about which nobody was asked is only in the journal; it is reported only when its outcome is unknown. */
async function readCalls(db: Statements, rows: readonly EventRow[]): Promise<(facts: NoticeFacts) => CallFacts> {
  const isMissing = ({ callId, server }: NoticeFacts) => callId !== null && server === null;
  const runIds = new Set(rows.filter(({ facts }) => isMissing(facts)).map(({ facts }) => facts.runId));
  const calls = new Map<string, CallFacts>();
  for (const runId of runIds) {
    for (const { id, agent, server, tool, danger } of await listCalls(db, runId)) {
      calls.set(id, { agent: agent || null, server, tool, danger });
    }
  }
  return (facts) => (isMissing(facts) ? (calls.get(facts.callId ?? "") ?? {}) : {});
}

/** When a run's record was tampered with, nothing is known of its calls, and the channel is still notified. */
async function listCalls(db: Statements, runId: string) {
  try {
    return [...((await findOpenRun(db, runId))?.snapshot.calls.values() ?? [])];
  } catch (error) {
    if (error instanceof RecordChanged) return [];
    throw error;
  }
}
