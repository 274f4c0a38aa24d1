/** Keeps all runs of a worker for another while, in one statement. Those that are missing in the answer were lost. */
import type { Db } from "@/lib/store/client";
import type { Lease } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";

export async function renewLeases(db: Db, leases: Lease[], leaseMs: number, at: Date): Promise<Map<string, { wakes: number }>> {
  if (leases.length === 0) return new Map();
  await pause("renew-lease:before-commit");
  const rows = await db.$queryRaw<{ id: string; wakes: number }[]>`
    ${PLAN_ONCE}UPDATE runs SET lease_until = ${new Date(at.getTime() + leaseMs)}
    FROM unnest(${leases.map((lease) => lease.runId)}::text[], ${leases.map((lease) => lease.owner)}::text[], ${leases.map((lease) => lease.epoch)}::int[])
      AS held (id, owner, epoch)
    WHERE runs.id = held.id AND runs.lease_owner = held.owner AND runs.epoch = held.epoch AND runs.status = 'running'
    RETURNING runs.id, runs.wakes`;
  await pause("renew-lease:after-commit");
  return new Map(rows.map((row) => [row.id, { wakes: row.wakes }]));
}
