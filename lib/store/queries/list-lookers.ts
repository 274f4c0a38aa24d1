import type { Db } from "@/lib/store/client";

/** Who has which card open now. */
export interface Looker {
  approvalId: string;
  userId: string;
  name: string;
}

const LOOKERS_MAX = 1000;

/** All of them: there are at most as many as open windows. In a fixed order, so that two readings can be compared. */
export async function listLookers(db: Db, now: Date): Promise<Looker[]> {
  const rows = await db.looker.findMany({
    where: { until: { gt: now }, approval: { status: "pending" } },
    orderBy: [{ approvalId: "asc" }, { userId: "asc" }],
    take: LOOKERS_MAX,
    select: { approvalId: true, userId: true, user: { select: { name: true } } },
  });
  return rows.map(({ approvalId, userId, user }) => ({ approvalId, userId, name: user.name }));
}
