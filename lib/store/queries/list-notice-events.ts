import type { NoticeFacts, NoticeType } from "@/lib/domain/notice";
import type { Statements } from "@/lib/store/client";
import { PLAN_ANEW } from "@/lib/store/plan-anew";
import { STARTERS } from "@/lib/store/starters-sql";

/** Up to where the events were looked through. Transactions are numbered in the order in which they begin. */
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

const TYPES = ["approval.requested", "approval.escalated", "approval.expired", "approval.decided", "call.outcome_unknown", "run.failed", "run.parked"];

/** What channels can be told about, in the order of the transactions. None of `before` or later is among them, because some of those may still be open. */
export async function listNoticeEvents(db: Statements, after: EventPlace, before: bigint, limit: number): Promise<NoticeEvent[]> {
  const rows = await db.$queryRaw<EventRow[]>`${PLAN_ANEW}
    SELECT e.id, e.tx, e.type, jsonb_build_object('at', e.at, 'runId', r.id, 'workflow', r.workflow, 'callId', c.id, 'agent', nullif(c.agent, ''), 'server', c.server,
        'tool', c.tool, 'danger', c.danger,
        'approval', CASE WHEN a.id IS NOT NULL THEN jsonb_build_object('id', a.id, 'approvers', to_jsonb(a.approvers), 'selfApproval', a.self_approval,
          'starterIds', to_jsonb(${STARTERS}), 'expiresAt', a.expires_at) END,
        'decided', CASE WHEN e.type = 'approval.decided' THEN jsonb_build_object('by', e.actor_name, 'verdict', e.data ->> 'verdict') END,
        'code', CASE WHEN e.type = 'run.failed' THEN e.data ->> 'code' END) AS facts
    FROM (SELECT id, tx, type, at, chain_id, actor_name, body::jsonb -> 'data' AS data FROM events
      WHERE tx >= ${after.tx} AND tx < ${before} AND (tx > ${after.tx} OR id > ${after.id}) AND type = ANY (${TYPES})) e
    JOIN runs r ON r.id = e.chain_id
    LEFT JOIN approvals a ON a.id = e.data ->> 'approval_id'
    LEFT JOIN calls c ON c.id = coalesce(a.call_id, e.data ->> 'call_id')
    WHERE e.type <> 'run.parked' OR e.data ->> 'status' = 'needs_human_review'
    ORDER BY e.tx, e.id LIMIT ${limit}`;
  return rows.map(({ id, tx, type, facts }) => ({ place: { tx, id }, type: (type === "run.parked" ? "run.needs_human_review" : type) as NoticeType, facts }));
}
