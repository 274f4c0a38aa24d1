import type { Db } from "@/lib/store/client";
import { PLAN_ANEW } from "@/lib/store/plan-anew";
import { callers } from "@/lib/store/queries/list-callers";

export interface PastCall {
  id: string;
  runId: string;
  /** Who called: the agent, and before it, outermost first, those whose sub-agent it was. */
  agents: string[];
  server: string;
  tool: string;
  argumentsCanonical: string;
  definitionFingerprint: string | null;
  /** What the policy said then. */
  decision: "allow" | "ask" | "deny";
}

/** Calls of agents since a moment, newest first; those that no policy judges are left out: sub-agents, toolsets, webhooks. */
export function listPastCalls(db: Db, { since, workflow, beforeId, limit }: { since: Date; workflow?: string | undefined; beforeId: string | null; limit: number }): Promise<PastCall[]> {
  return db.$queryRaw<PastCall[]>`${PLAN_ANEW}
    SELECT c.id, c.run_id AS "runId", c.server, c.tool, c.arguments_canonical AS "argumentsCanonical", c.definition_fingerprint AS "definitionFingerprint",
      CASE WHEN c.status = 'denied' THEN 'deny' WHEN c.status = 'rejected' OR EXISTS (SELECT 1 FROM approvals a WHERE a.call_id = c.id) THEN 'ask' ELSE 'allow' END AS decision,
      ${callers} AS agents
    FROM calls c JOIN runs r ON r.id = c.run_id
    WHERE c.created_at >= ${since} AND (${workflow ?? null}::text IS NULL OR r.workflow = ${workflow ?? null}) AND (${beforeId}::text IS NULL OR c.id < ${beforeId})
      AND c.server NOT IN ('kimitsu/agents', 'kimitsu/toolsets', 'kimitsu/webhook')
    ORDER BY c.id DESC LIMIT ${limit}`;
}
