import type { CallStatus } from "@/lib/runs/rules/call-state";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/** A higher count is of no use to a person. */
const COUNTED_MAX = 100;

/** Calls of the same tool with exactly the same arguments. */
export interface SameCalls {
  /** The last one that people approved, and what became of it. */
  approved: { runId: string; isSameRun: boolean; by: string[]; at: string; status: CallStatus } | null;
  waiting: number;
}

export async function findSameCalls(
  db: Db,
  { id, runId, server, tool, digest }: { id: string; runId: string; server: string; tool: string; digest: string },
): Promise<SameCalls> {
  // The index holds part of the digest; the statuses are literals because it is a partial index on them.
  const hasDigest = Prisma.sql`substr(a.digest, 8, 8) = substr(${digest}::text, 8, 8) AND a.digest = ${digest}`;
  const [[approved], [waiting]] = await Promise.all([
    db.$queryRaw<{ runId: string; by: string[]; at: Date; status: CallStatus }[]>`
      SELECT a.run_id AS "runId", a.decided_at AS at, coalesce(c.status, 'approved') AS status,
        ARRAY(SELECT u.name FROM unnest(a.deciders) WITH ORDINALITY AS d (id, place) JOIN users u ON u.id = d.id ORDER BY d.place) AS by
      FROM approvals a LEFT JOIN calls c ON c.id = a.call_id
      WHERE ${hasDigest} AND a.server = ${server} AND a.tool = ${tool} AND a.status = 'approved' AND a.id <> ${id}
      ORDER BY a.decided_at DESC LIMIT 1`,
    db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM (
        SELECT 1 FROM approvals a WHERE ${hasDigest} AND a.server = ${server} AND a.tool = ${tool} AND a.status = 'pending' AND a.id <> ${id} LIMIT ${COUNTED_MAX}) AS others`,
  ]);
  return {
    approved: approved ? { ...approved, isSameRun: approved.runId === runId, at: approved.at.toISOString() } : null,
    waiting: waiting?.count ?? 0,
  };
}
