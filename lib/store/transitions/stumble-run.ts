/**
 * Lets go of a run that could not be advanced by a fault that is not its own: the project version cannot be read here, or a defect.
 * It is tried again, each time later than the time before, by whichever process comes first; what went wrong stands on the run until
 * it goes on. Nothing is lost by trying, and a person who has seen enough cancels it.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { STUMBLE_BACKOFF_MAX_MS, STUMBLE_BACKOFF_MS } from "@/lib/domain/limits";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";

export async function stumbleRun(db: Db, lease: Lease, fault: { code: string; message: string }, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: "run.stumbled", at, actor: SYSTEM_ACTOR, data: { ...fault, worker: lease.owner } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH stumbling AS MATERIALIZED (
      SELECT id, coalesce((error ->> 'attempts')::int, 0) AS before FROM runs WHERE ${heldBy(lease)} FOR UPDATE
    ), moved AS (
      UPDATE runs SET lease_owner = NULL, lease_until = NULL, updated_at = ${at},
        wake_at = ${at}::timestamptz + least(${STUMBLE_BACKOFF_MS}::float8 * power(2, least(stumbling.before, 30)), ${STUMBLE_BACKOFF_MAX_MS}::float8) * interval '1 millisecond',
        error = ${JSON.stringify(fault)}::jsonb || jsonb_build_object('attempts', stumbling.before + 1)
      FROM stumbling WHERE runs.id = stumbling.id
      RETURNING runs.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return toOutcome(rows);
}
