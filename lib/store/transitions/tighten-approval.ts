/**
 * Holds a question that waits to a stricter rule than it was asked by, with its event. Approvals of people whom the stricter rule does not
 * let decide stay on record and count no more. False when it waits no more.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import type { Db } from "@/lib/store/client";
import { mayDecide } from "@/lib/store/eligible-sql";
import { insertEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { STARTERS } from "@/lib/store/starters-sql";
import { waits } from "@/lib/store/waits-sql";

export interface Tightening {
  id: string;
  runId: string;
  callId: string;
  rule: ApprovalRule;
  /** Of the rule, and those whom an escalation has named. */
  approvers: string[];
}

export async function tightenApprovalRow(db: Db, { id, runId, callId, rule, approvers }: Tightening, at: Date): Promise<boolean> {
  const data = { approval_id: id, call_id: callId, min_approvals: rule.minApprovals, approvers, self_approval: rule.selfApproval };
  const event = insertEvent({ chainId: runId, type: "approval.tightened", at, actor: SYSTEM_ACTOR, data }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH open_run AS MATERIALIZED (
      SELECT r.id, ${STARTERS} AS starters FROM runs r WHERE r.id = ${runId} AND r.status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE
    ), moved AS (
      UPDATE approvals SET rule = ${JSON.stringify(rule)}::jsonb, approvers = ${approvers}::text[], min_approvals = ${rule.minApprovals}, self_approval = ${rule.selfApproval},
        editable = ${rule.edit}, version = version + 1,
        approvals = (SELECT count(*) FROM decisions d JOIN users u ON u.id = d.user_id
          WHERE d.approval_id = approvals.id AND d.verdict = 'approved' AND (${rule.selfApproval} OR u.id <> ALL (open_run.starters))
            AND ${mayDecide(Prisma.sql`${approvers}::text[]`)})
      FROM open_run WHERE approvals.id = ${id} AND approvals.run_id = open_run.id AND ${waits("approvals")}
      RETURNING approvals.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}
