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
  /** `running` is for a run that waits for its time alone, or is handed over, as at shutdown. */
  status: "pending_approval" | "needs_human_review" | "running";
  /** When to look again although nobody woke it. */
  wakeAt: Date | null;
  seenWakes: number;
  activeMs: number;
}

export async function parkRun(db: Db, lease: Lease, parking: Parking, at: Date): Promise<LeaseOutcome> {
  // A run that waits for nobody and for no time would never be looked at again.
  const wakeAt = parking.status === "running" ? (parking.wakeAt ?? at) : parking.wakeAt;
  const events = eventsOf(lease, parking.status, wakeAt, at);
  const logged = events.length > 0 ? Prisma.sql`, logged AS (${insertEvents(events, "moved")})` : Prisma.empty;
  await pause("park-run:before-commit", lease.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE runs SET status = ${parking.status}::run_status, lease_owner = NULL, lease_until = NULL,
        wake_at = CASE WHEN wakes <> ${parking.seenWakes} THEN ${at}::timestamptz ELSE ${wakeAt}::timestamptz END, error = NULL,
        active_ms = active_ms + ${parking.activeMs}, updated_at = ${at}
      WHERE ${heldBy(lease)}
      RETURNING id
    ) ${logged}
    SELECT id FROM moved`;
  await pause("park-run:after-commit", lease.runId);
  return toOutcome(rows);
}

/** Waiting for a rate limit or a retry is not worth an event each time; that another process is to go on is. */
function eventsOf(lease: Lease, status: Parking["status"], wakeAt: Date | null, at: Date): NewEvent[] {
  const event = { chainId: lease.runId, at, actor: SYSTEM_ACTOR };
  if (status !== "running") return [{ ...event, type: "run.parked", data: { status } }];
  return wakeAt && wakeAt <= at ? [{ ...event, type: "run.handed_over", data: { worker: lease.owner } }] : [];
}
