import { nameDeciders } from "@/lib/approvals/queries/name-deciders";
import type { Db } from "@/lib/database/client";

/** Enough to distinguish a new value from one that recurs. */
const COMPARED_MAX = 10;

export interface ApprovedCall {
  /** Redacted. */
  arguments: unknown;
  /** Everyone who approved it, in order of approval. */
  by: string[];
  at: string;
}

/** The calls of the same tool that people approved, newest first. */
export async function listApprovedCalls(
  db: Db,
  approval: { callId: string; server: string; tool: string },
): Promise<ApprovedCall[]> {
  const rows = await db.approval.findMany({
    where: {
      server: approval.server,
      tool: approval.tool,
      status: "approved",
      // Redundant with the status, but needed for the partial index on decided rows.
      decidedAt: { not: null },
      callId: { not: approval.callId },
    },
    orderBy: { decidedAt: "desc" },
    take: COMPARED_MAX,
    select: { callId: true, status: true, decidedAt: true, createdAt: true, deciders: true },
  });
  const callIds = rows.map(({ callId }) => callId);
  const [calls, namesOf] = await Promise.all([
    db.call.findMany({ where: { id: { in: callIds } }, select: { id: true, arguments: true } }),
    nameDeciders(db, rows),
  ]);
  const argumentsOf = new Map(calls.map(({ id, arguments: args }) => [id, args]));
  return rows
    .filter(({ callId }) => argumentsOf.has(callId))
    .map((row) => ({
      arguments: argumentsOf.get(row.callId),
      by: namesOf(row),
      at: (row.decidedAt ?? row.createdAt).toISOString(),
    }));
}
