import type { DangerLevel } from "@/lib/policy/danger";
import { showInvisible } from "@/lib/text/tool-text";
import { nameDeciders } from "@/lib/approvals/queries/name-deciders";
import type { Db } from "@/lib/database/client";

const SHOWN = 8;

export interface DecidedApproval {
  id: string;
  server: string;
  tool: string;
  summary: string;
  danger: DangerLevel;
  status: string;
  /** Everyone whose decision led to the outcome, in order. */
  by: string[];
  at: string;
}

/**
 * What was decided, expired or withdrawn last, whenever it was asked; read from the end of the index
 * `approvals_decided`.
 */
export async function listDecided(db: Db): Promise<DecidedApproval[]> {
  const rows = await db.approval.findMany({
    where: { decidedAt: { not: null } },
    orderBy: { decidedAt: "desc" },
    take: SHOWN,
  });
  const namesOf = await nameDeciders(db, rows);
  return rows.map((row) => ({
    id: row.id,
    server: row.server,
    tool: row.tool,
    summary: showInvisible(row.summary || row.tool),
    danger: row.danger,
    status: row.status,
    by: namesOf(row),
    at: (row.decidedAt ?? row.createdAt).toISOString(),
  }));
}
