import type { Db } from "@/lib/store/client";

/** The agent that asked for a call, and before it, outermost first, the agents whose sub-agent it is. */
export async function listCallers(db: Db, callId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ agent: string }[]>`
    WITH RECURSIVE chain AS (
      SELECT agent, parent_call_id, 1 AS depth FROM calls WHERE id = ${callId}
      UNION ALL SELECT c.agent, c.parent_call_id, chain.depth + 1 FROM calls c JOIN chain ON c.id = chain.parent_call_id
    ) SELECT agent FROM chain ORDER BY depth DESC`;
  return rows.map(({ agent }) => agent);
}
