/** Puts on a run's trail that it goes on without a tool server: once for each server, however often and by whatever process it is asked. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";

const TYPE = "server.unreachable";

export async function noteUnreachable(db: Statements, lease: Lease, { server, message }: { server: string; message: string }, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: TYPE, at, actor: SYSTEM_ACTOR, data: { server, message } }, "news");
  return toOutcome(await db.$queryRaw<{ id: string }[]>`
    WITH held AS MATERIALIZED (SELECT id FROM runs WHERE ${heldBy(lease)} FOR UPDATE),
    news AS (
      SELECT id FROM held
      WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.chain_id = held.id AND e.type = ${TYPE} AND e.body::jsonb #>> '{data,server}' = ${server})
    ), logged AS (${event})
    SELECT id FROM held`);
}
