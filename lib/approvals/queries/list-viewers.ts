import type { Db } from "@/lib/database/client";

/** Who has which card open now. */
export interface CardViewer {
  approvalId: string;
  userId: string;
  name: string;
}

const VIEWERS_MAX = 1000;

/**
 * Lists all of them: there are at most as many as open windows. The order is fixed, so that two results can be
 * compared.
 */
export async function listViewers(db: Db, now: Date): Promise<CardViewer[]> {
  const rows = await db.viewer.findMany({
    where: { until: { gt: now }, approval: { status: "pending" } },
    orderBy: [{ approvalId: "asc" }, { userId: "asc" }],
    take: VIEWERS_MAX,
    select: { approvalId: true, userId: true, user: { select: { name: true } } },
  });
  return rows.map(({ approvalId, userId, user }) => ({ approvalId, userId, name: user.name }));
}
