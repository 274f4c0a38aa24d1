import { Prisma } from "@/lib/database/generated/client";

/** For a statement with the call `c`: the agent that made it, preceded by the agents above it, outermost first. */
export const callers = Prisma.sql`(
  WITH RECURSIVE chain AS (
    SELECT c.agent AS agent, c.parent_call_id AS parent_call_id, 1 AS depth
    UNION ALL SELECT p.agent, p.parent_call_id, chain.depth + 1 FROM chain JOIN calls p ON p.id = chain.parent_call_id
  ) SELECT array_agg(agent ORDER BY depth DESC) FROM chain)`;
