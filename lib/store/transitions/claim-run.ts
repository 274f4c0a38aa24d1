/**
 * Takes a run that waits for its time, or one whose worker was silent for too long. Raises the epoch, so that every later write
 * of the worker before is refused. Lost means that another process was quicker, or that the run is not as it was seen any more.
 *
 * A run that nobody had is read in the same statement. That is one snapshot: the rows are those of the version that was claimed (by its
 * `xmin`), and `wakes` is never newer than they are. What a silent worker may still be writing is read after the claim, when it cannot.
 */
import type { Actor } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvent, type NewEvent } from "@/lib/store/event-sql";
import type { Candidate, Lease } from "@/lib/store/lease-sql";
import { type RunSnapshot, runSnapshot, type StoredSnapshot, toSnapshot } from "@/lib/store/queries/load-run";
import { Prisma } from "@/lib/store/generated/client";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";

/** Who takes a run, and for how long without a renewal. */
export interface Claimer {
  owner: string;
  leaseMs: number;
}

export interface Claim extends Claimer {
  /** The claim holds only for the run as seen, so that its event tells what really happened. */
  candidate: Candidate;
}

export type ClaimOutcome = { kind: "claimed"; lease: Lease; wakes: number; snapshot: RunSnapshot | null } | { kind: "lost" };

export async function claimRun(db: Statements, { candidate, owner, leaseMs }: Claim, actor: Actor, at: Date): Promise<ClaimOutcome> {
  const event = insertEvent({ chainId: candidate.id, ...claimEvent(candidate, owner), at, actor }, "announced");
  await pause("claim-run:before-commit", candidate.id);
  const snapshot = candidate.leaseOwner === null ? Prisma.sql`, ${runSnapshot(candidate.id)}` : Prisma.empty;
  const [row] = await db.$queryRaw<({ epoch: number; wakes: number } & Partial<StoredSnapshot>)[]>`
    ${PLAN_ONCE}WITH seen AS MATERIALIZED (SELECT xmin AS version FROM runs WHERE id = ${candidate.id}),
    candidate AS (
      SELECT id FROM runs
      WHERE id = ${candidate.id} AND xmin = (SELECT version FROM seen) AND status = ${candidate.status}::run_status AND lease_owner IS NOT DISTINCT FROM ${candidate.leaseOwner}
        AND status NOT IN ('complete', 'failed', 'cancelled') AND ((wake_at <= ${at} AND lease_owner IS NULL) OR lease_until < ${at})
      FOR UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE runs SET status = 'running', lease_owner = ${owner}, lease_until = ${new Date(at.getTime() + leaseMs)}, epoch = epoch + 1,
        wake_at = NULL, updated_at = ${at}
      FROM candidate WHERE runs.id = candidate.id
      RETURNING runs.epoch, runs.wakes
    ), announced AS (SELECT 1 FROM moved ${isQuiet(candidate) ? isWorthTelling(candidate.id) : Prisma.empty}), logged AS (${event})
    SELECT epoch, wakes ${snapshot} FROM moved`;
  await pause("claim-run:after-commit", candidate.id);
  if (!row) return { kind: "lost" };
  return { kind: "claimed", lease: { runId: candidate.id, owner, epoch: row.epoch }, wakes: row.wakes, snapshot: row.run ? toSnapshot(row as StoredSnapshot) : null };
}

/** A run that only waited for its time (a rate limit, the switch that stops all calls) is looked at every few seconds. */
const isQuiet = ({ status, leaseOwner }: Candidate): boolean => status === "running" && leaseOwner === null;

/** That it waited was no event, so that it goes on is none either; where it was let go with an event, who goes on is told. */
function isWorthTelling(runId: string): Prisma.Sql {
  return Prisma.sql`WHERE (SELECT type FROM events WHERE chain_id = ${runId} AND type LIKE 'run.%' ORDER BY seq DESC LIMIT 1) IN ('run.handed_over', 'run.stumbled')`;
}

/** Also for a statement that claims with something else. */
export function claimEvent({ status, leaseOwner }: Candidate, owner: string): Pick<NewEvent, "type" | "data"> {
  if (leaseOwner !== null) return { type: "run.taken_over", data: { worker: owner, from_worker: leaseOwner } };
  return { type: status === "pending" ? "run.started" : "run.resumed", data: { worker: owner } };
}
