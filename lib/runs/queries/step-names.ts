import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/**
 * A call with what shows whether a sub-agent made it: such a call is in its own step, named after the call that started
 * the sub-agent.
 */
export interface PlacedCall {
  id: string;
  parentCallId: string | null;
  step: { key: string };
}

/**
 * The step of each call as the workflow's file names it: a sub-agent's calls belong to the step of the outermost agent.
 */
export async function nameSteps(db: Db, calls: readonly PlacedCall[]): Promise<(call: PlacedCall) => string> {
  const nested = calls.filter((call) => call.parentCallId !== null).map(({ id }) => id);
  const rows =
    nested.length === 0
      ? []
      : await db.$queryRaw<
          { id: string; key: string }[]
        >`SELECT c.id, ${outermostKey} AS key FROM calls c WHERE c.id = ANY (${nested}::text[])`;
  const names = new Map(rows.map(({ id, key }) => [id, key]));
  return (call) => names.get(call.id) ?? call.step.key;
}

/** For a statement with the call `c`: the key of the step in which the outermost of its callers works. */
const outermostKey = Prisma.sql`(
  WITH RECURSIVE up AS (
    SELECT c.step_id AS step_id, c.parent_call_id AS parent_call_id
    UNION ALL SELECT p.step_id, p.parent_call_id FROM up JOIN calls p ON p.id = up.parent_call_id
  ) SELECT s.key FROM up JOIN steps s ON s.id = up.step_id WHERE up.parent_call_id IS NULL)`;
