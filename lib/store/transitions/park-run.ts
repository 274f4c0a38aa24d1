/**
 * Lets go of a run that waits: for people, for a person's review, or for its time. From here on it is rows. What happened while
 * the worker did not look (a decision, a cancel) is seen by `wakes` and makes the run runnable at once.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvents, type NewEvent } from "@/lib/store/event-sql";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { Prisma } from "@/lib/store/generated/client";
import { pause } from "@/lib/pause";

export interface Parking {
  /** `pending` is for a run that is only handed over, as at shutdown. */
  status: "pending_approval" | "needs_human_review" | "running";
  /** When to look again although nobody woke it. */
  wakeAt: Date | null;
  seenWakes: number;
  activeMs: number;
}

export async function parkRun(db: Db, lease: Lease, parking: Parking, at: Date): Promise<LeaseOutcome> {
  const waits: NewEvent[] = parking.status === "running" ? [] : [{ chainId: lease.runId, type: "run.parked", at, actor: SYSTEM_ACTOR, data: { status: parking.status } }];
  const logged = waits.length > 0 ? Prisma.sql`, logged AS (${insertEvents(waits, "moved")})` : Prisma.empty;
  await pause("park-run:before-commit", lease.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE runs SET status = ${parking.status}::run_status, lease_owner = NULL, lease_until = NULL,
        wake_at = CASE WHEN wakes <> ${parking.seenWakes} THEN ${at}::timestamptz ELSE ${parking.wakeAt}::timestamptz END,
        active_ms = active_ms + ${parking.activeMs}, updated_at = ${at}
      WHERE ${heldBy(lease)}
      RETURNING id
    ) ${logged}
    SELECT id FROM moved`;
  await pause("park-run:after-commit", lease.runId);
  return toOutcome(rows);
}
