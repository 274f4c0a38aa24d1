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
  by: string | null;
  at: string;
}

/** What was decided, expired or withdrawn last: found among the newest of each outcome, so that no order over all of them is needed. */
export async function listDecided(db: Db): Promise<DecidedApproval[]> {
  const outcomes = ["approved", "rejected", "expired", "cancelled"] as const;
  const newest = await Promise.all(
    outcomes.map((status) =>
      db.approval.findMany({
        where: { status },
        orderBy: { id: "desc" },
        take: SHOWN,
        include: { call: { select: { summary: true } }, decisions: { orderBy: { id: "desc" }, take: 1, select: { user: { select: { name: true } } } } },
      }),
    ),
  );
  return newest
    .flat()
    .sort((one, other) => (other.decidedAt?.getTime() ?? 0) - (one.decidedAt?.getTime() ?? 0))
    .slice(0, SHOWN)
    .map((row) => ({
      id: row.id,
      server: row.server,
      tool: row.tool,
      summary: showInvisible(row.summary || row.call.summary || row.tool),
      danger: row.danger,
      status: row.status,
      by: row.decisions[0]?.user.name ?? null,
      at: (row.decidedAt ?? row.createdAt).toISOString(),
    }));
}
