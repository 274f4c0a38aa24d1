/** Renews the leases of all runs of a worker in one statement. Runs that are missing from the result were lost. */
import type { Db } from "@/lib/database/client";
import type { Lease } from "@/lib/runs/journal/commit";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/database/plan-anew";

export async function renewLeases(db: Db, leases: Lease[], until: Date): Promise<Map<string, { seq: number }>> {
  if (leases.length === 0) return new Map();
  await pause("renew-lease:before-commit");
  const rows = await db.$queryRaw<{ id: string; seq: number }[]>`
    ${PLAN_ONCE}UPDATE runs SET lease_until = ${until}
    FROM unnest(${leases.map((lease) => lease.runId)}::text[], ${leases.map((lease) => lease.owner)}::text[], ${leases.map((lease) => lease.epoch)}::int[])
      AS held (id, owner, epoch)
    WHERE runs.id = held.id AND runs.lease_owner = held.owner AND runs.epoch = held.epoch AND runs.status = 'running'
    RETURNING runs.id, runs.seq`;
  await pause("renew-lease:after-commit");
  return new Map(rows.map((row) => [row.id, { seq: row.seq }]));
}
