/**
 * Lets go of a run that waits: for people, for a person's review, or for its time. From here on it is rows. What happened while
 * the worker did not look (a decision, a cancel) is seen by `wakes` and makes the run runnable at once.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
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

export async function parkRun(db: Statements, lease: Lease, parking: Parking, at: Date): Promise<LeaseOutcome> {
  const events = parkEvents(lease, parking, at);
  const logged = events.length > 0 ? Prisma.sql`, logged AS (${insertEvents(events, "moved")})` : Prisma.empty;
  await pause("park-run:before-commit", lease.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE runs SET ${parkColumns(parking, at)}, updated_at = ${at}
      WHERE ${heldBy(lease)}
      RETURNING id
    ) ${logged}
    SELECT id FROM moved`;
  await pause("park-run:after-commit", lease.runId);
  return toOutcome(rows);
}

/** What of the run's row changes, for a statement that parks it with something else. */
export function parkColumns(parking: Parking, at: Date): Prisma.Sql {
  return Prisma.sql`status = ${parking.status}::run_status, lease_owner = NULL, lease_until = NULL, error = NULL, active_ms = active_ms + ${parking.activeMs},
    wake_at = CASE WHEN wakes <> ${parking.seenWakes} THEN ${at}::timestamptz ELSE ${wakeTime(parking, at)}::timestamptz END`;
}

/** Waiting for a rate limit or a retry is not worth an event each time; that another process is to go on is. */
export function parkEvents(lease: Lease, parking: Parking, at: Date): NewEvent[] {
  const { status } = parking;
  const wakeAt = wakeTime(parking, at);
  const event = { chainId: lease.runId, at, actor: SYSTEM_ACTOR };
  if (status !== "running") return [{ ...event, type: "run.parked", data: { status } }];
  return wakeAt && wakeAt <= at ? [{ ...event, type: "run.handed_over", data: { worker: lease.owner } }] : [];
}

/** A run that waits for nobody and for no time would never be looked at again. */
function wakeTime({ status, wakeAt }: Parking, at: Date): Date | null {
  return status === "running" ? (wakeAt ?? at) : wakeAt;
}
