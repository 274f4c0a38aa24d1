import type { Db } from "@/lib/database/client";

export interface DueApproval {
  id: string;
  runId: string;
  callId: string;
  server: string;
  tool: string;
  danger: string;
  createdAt: Date;
}

// `pending` is a literal because the indexes are partial ones on pending approvals.

export function listExpired(db: Db, now: Date, limit: number): Promise<DueApproval[]> {
  return db.$queryRaw<DueApproval[]>`
    SELECT id, run_id AS "runId", call_id AS "callId", server, tool, danger, created_at AS "createdAt" FROM approvals
    WHERE status = 'pending' AND expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}`;
}

export function listEscalating(db: Db, now: Date, limit: number): Promise<DueApproval[]> {
  return db.$queryRaw<DueApproval[]>`
    SELECT id, run_id AS "runId", call_id AS "callId", server, tool, danger, created_at AS "createdAt" FROM approvals
    WHERE status = 'pending' AND escalated_at IS NULL AND escalate_at <= ${now} ORDER BY escalate_at LIMIT ${limit}`;
}
