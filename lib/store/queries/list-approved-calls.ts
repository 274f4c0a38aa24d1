import type { Db } from "@/lib/store/client";

/** Enough to tell a value that is new from one that comes and goes. */
const COMPARED_MAX = 10;

export interface ApprovedCall {
  /** Redacted. */
  arguments: unknown;
  /** Everyone who approved it, in their order. */
  by: string[];
  at: string;
}

/** The calls of the same tool that people approved, the last first. */
export async function listApprovedCalls(db: Db, approval: { id: string; callId: string; server: string; tool: string }): Promise<ApprovedCall[]> {
  const rows = await db.approval.findMany({
    where: { server: approval.server, tool: approval.tool, status: "approved", callId: { not: approval.callId } },
    orderBy: { decidedAt: "desc" },
    take: COMPARED_MAX,
    select: { decidedAt: true, createdAt: true, call: { select: { arguments: true } }, decisions: { where: { verdict: "approved" }, orderBy: { id: "asc" }, select: { user: { select: { name: true } } } } },
  });
  return rows.map((row) => ({ arguments: row.call.arguments, by: row.decisions.map(({ user }) => user.name), at: (row.decidedAt ?? row.createdAt).toISOString() }));
}
