import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { callers } from "@/lib/runs/queries/list-callers";

export interface PastCall {
  id: string;
  runId: string;
  /** Who called: the agent, preceded by the agents above it, outermost first. */
  agents: string[];
  server: string;
  tool: string;
  /** JSON, as the agent proposed: a person's changes were not judged by the policy's rules. */
  argumentsAsked: string;
  definitionFingerprint: string | null;
  /** The policy's decision then. */
  decision: "allow" | "ask" | "deny";
}

/** A call stores what is sent; if a person changed that, the turn still has the proposal. */
const ASKED = Prisma.sql`coalesce(
        CASE WHEN EXISTS (SELECT 1 FROM decisions d JOIN approvals a ON a.id = d.approval_id WHERE a.run_id = c.run_id AND a.call_id = c.id AND d.arguments_canonical IS NOT NULL)
          THEN (SELECT wanted ->> 'arguments' FROM turns t, jsonb_array_elements(t.response -> 'toolCalls') AS wanted WHERE t.id = c.turn_id AND wanted ->> 'id' = c.model_call_id LIMIT 1) END,
        c.arguments_canonical)`;

/**
 * Ended by something other than the rules: invalid arguments, a turn that had to conclude, a toolset that was not
 * loaded, money that was spent.
 */
const NOT_JUDGED = [
  "malformed_arguments",
  "invalid_arguments",
  "secret_in_arguments",
  "no_tools_left",
  "toolset_not_loaded",
  "budget_exceeded",
];

/**
 * Calls of agents since a moment, newest first; without those that no rule judges: sub-agents, toolsets, webhooks, and
 * calls ended by something else.
 */
export function listPastCalls(
  db: Db,
  {
    since,
    workflow,
    beforeId,
    limit,
  }: { since: Date; workflow?: string | undefined; beforeId: string | null; limit: number },
): Promise<PastCall[]> {
  return db.$queryRaw<PastCall[]>`${PLAN_ANEW}
    SELECT c.id, c.run_id AS "runId", c.server, c.tool, ${ASKED} AS "argumentsAsked", c.definition_fingerprint AS "definitionFingerprint",
      CASE WHEN c.status = 'denied' THEN 'deny' WHEN c.status = 'rejected' OR EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = c.run_id AND a.call_id = c.id) THEN 'ask' ELSE 'allow' END AS decision,
      ${callers} AS agents
    FROM calls c JOIN runs r ON r.id = c.run_id
    WHERE c.created_at >= ${since} AND (${workflow ?? null}::text IS NULL OR r.workflow = ${workflow ?? null}) AND (${beforeId}::text IS NULL OR c.id < ${beforeId})
      AND NOT (c.status IN ('failed', 'denied') AND coalesce(c.error ->> 'code', '') = ANY (${NOT_JUDGED}) AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = c.run_id AND a.call_id = c.id))
      AND c.server NOT IN ('kimitsu/agents', 'kimitsu/toolsets', 'kimitsu/webhook')
    ORDER BY c.id DESC LIMIT ${limit}`;
}
