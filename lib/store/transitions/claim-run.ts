/**
 * Takes a run that waits for its time, or one whose worker was silent for too long. Raises the epoch, so that every later write
 * of the worker before is refused. Lost means that another process was quicker, or that the run is not as it was seen any more.
 */
import type { Actor } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent, type NewEvent } from "@/lib/store/event-sql";
import type { Candidate, Lease } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";

export interface Claim {
  /** The claim holds only for the run as seen, so that its event tells what really happened. */
  candidate: Candidate;
  owner: string;
  leaseMs: number;
}

export async function claimRun(db: Db, { candidate, owner, leaseMs }: Claim, actor: Actor, at: Date): Promise<{ kind: "claimed"; lease: Lease; wakes: number } | { kind: "lost" }> {
  const event = insertEvent({ chainId: candidate.id, ...eventOf(candidate, owner), at, actor }, "moved");
  await pause("claim-run:before-commit", candidate.id);
  const rows = await db.$queryRaw<{ epoch: number; wakes: number }[]>`
    WITH candidate AS (
      SELECT id FROM runs
      WHERE id = ${candidate.id} AND status = ${candidate.status}::run_status AND lease_owner IS NOT DISTINCT FROM ${candidate.leaseOwner}
        AND status NOT IN ('complete', 'failed', 'cancelled') AND ((wake_at <= ${at} AND lease_owner IS NULL) OR lease_until < ${at})
      FOR UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE runs SET status = 'running', lease_owner = ${owner}, lease_until = ${new Date(at.getTime() + leaseMs)}, epoch = epoch + 1,
        wake_at = NULL, updated_at = ${at}
      FROM candidate WHERE runs.id = candidate.id
      RETURNING runs.epoch, runs.wakes
    ), logged AS (${event})
    SELECT epoch, wakes FROM moved`;
  const row = rows[0];
  await pause("claim-run:after-commit", candidate.id);
  if (!row) return { kind: "lost" };
  return { kind: "claimed", lease: { runId: candidate.id, owner, epoch: row.epoch }, wakes: row.wakes };
}

function eventOf({ status, leaseOwner }: Candidate, owner: string): Pick<NewEvent, "type" | "data"> {
  if (leaseOwner !== null) return { type: "run.taken_over", data: { worker: owner, from_worker: leaseOwner } };
  return { type: status === "pending" ? "run.started" : "run.resumed", data: { worker: owner } };
}
