import type { DangerLevel } from "@/lib/domain/danger";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";

const SHOWN = 8;

export interface DecidedApproval {
  id: string;
  server: string;
  tool: string;
  summary: string;
  danger: DangerLevel;
  status: string;
  /** Everyone who said what it came to, in their order. */
  by: string[];
  at: string;
}

/** What was decided, expired or withdrawn last, whenever it was asked; read from the end of `approvals_decided`. */
export async function listDecided(db: Db): Promise<DecidedApproval[]> {
  const rows = await db.approval.findMany({
    where: { decidedAt: { not: null } },
    orderBy: { decidedAt: "desc" },
    take: SHOWN,
    include: { call: { select: { summary: true } }, decisions: { orderBy: { id: "asc" }, select: { verdict: true, user: { select: { name: true } } } } },
  });
  return rows.map((row) => ({
    id: row.id,
    server: row.server,
    tool: row.tool,
    summary: showInvisible(row.summary || row.call.summary || row.tool),
    danger: row.danger,
    status: row.status,
    by: row.decisions.filter(({ verdict }) => verdict === row.status).map(({ user }) => user.name),
    at: (row.decidedAt ?? row.createdAt).toISOString(),
  }));
}
