/**
 * Takes a run that waits for its time, or one whose worker was silent for too long. Raises the epoch, so that every later write
 * of the worker before is refused. Lost means that another process was quicker.
 */
import type { Actor } from "@/lib/domain/actor";
import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import type { Lease } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";

export interface Claim {
  runId: string;
  owner: string;
  leaseMs: number;
  /** As the candidate was seen; for the event's words only. */
  from: RunStatus;
}

export async function claimRun(db: Db, claim: Claim, actor: Actor, at: Date): Promise<{ kind: "claimed"; lease: Lease; wakes: number } | { kind: "lost" }> {
  const type = claim.from === "pending" ? "run.started" : claim.from === "running" ? "run.taken_over" : "run.resumed";
  const event = insertEvent({ chainId: claim.runId, type, at, actor, data: { worker: claim.owner } }, "moved");
  await pause("claim-run:before-commit", claim.runId);
  const rows = await db.$queryRaw<{ epoch: number; wakes: number }[]>`
    WITH candidate AS (
      SELECT id FROM runs
      WHERE id = ${claim.runId} AND status NOT IN ('complete', 'failed', 'cancelled')
        AND ((wake_at <= ${at} AND lease_owner IS NULL) OR lease_until < ${at})
      FOR UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE runs SET status = 'running', lease_owner = ${claim.owner}, lease_until = ${new Date(at.getTime() + claim.leaseMs)}, epoch = epoch + 1,
        wake_at = NULL, updated_at = ${at}
      FROM candidate WHERE runs.id = candidate.id
      RETURNING runs.epoch, runs.wakes
    ), logged AS (${event})
    SELECT epoch, wakes FROM moved`;
  const row = rows[0];
  await pause("claim-run:after-commit", claim.runId);
  if (!row) return { kind: "lost" };
  return { kind: "claimed", lease: { runId: claim.runId, owner: claim.owner, epoch: row.epoch }, wakes: row.wakes };
}
