import type { RunStatus } from "@/lib/domain/run-state";
import { Prisma } from "@/lib/store/generated/client";

/** A run as it was seen before it is claimed. Whoever still has it, or had it, is part of that. */
export interface Candidate {
  id: string;
  status: RunStatus;
  leaseOwner: string | null;
}

/** The right to advance one run, until it is taken over. Every write of a worker carries it. */
export interface Lease {
  runId: string;
  owner: string;
  epoch: number;
}

/** The guard of every write under a lease: no row means that another process has the run now, and nothing was written. */
export function heldBy(lease: Lease): Prisma.Sql {
  return Prisma.sql`runs.id = ${lease.runId} AND runs.lease_owner = ${lease.owner} AND runs.epoch = ${lease.epoch} AND runs.status = 'running'`;
}

/** What the losing worker learns: it must stop and write nothing more. */
export type LeaseOutcome = { kind: "done" } | { kind: "lost" };

export const toOutcome = (rows: unknown[]): LeaseOutcome => (rows.length > 0 ? { kind: "done" } : { kind: "lost" });
