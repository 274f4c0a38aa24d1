import { liesAside } from "@/lib/approvals/rules/set-aside";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";

/** Someone's "not now" to a call. */
export interface SetAside {
  user: { id: string; name: string };
  note: string | null;
  /** Null: until something about the call changes. */
  until: Date | null;
  /** Whether the call is still set aside in that person's queue. */
  holds: boolean;
  at: Date;
}

/** Who has set these approvals aside and with what note, oldest first; by approval. */
export async function listSetAsides(
  db: Db,
  approvalIds: readonly string[],
  now: Date,
): Promise<Map<string, SetAside[]>> {
  const rows = await db.setAside.findMany({
    where: { approvalId: { in: [...approvalIds] } },
    include: { user: { select: { id: true, name: true } }, approval: { select: { version: true, status: true } } },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
  });
  const found = new Map<string, SetAside[]>(approvalIds.map((id) => [id, []]));
  for (const { approvalId, user, note, until, version, createdAt, approval } of rows) {
    const holds = approval.status === "pending" && liesAside({ until, version }, approval.version, now);
    found
      .get(approvalId)
      ?.push({ user, note: note === null ? null : showInvisible(note), until, holds, at: createdAt });
  }
  return found;
}
