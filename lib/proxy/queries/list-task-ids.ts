import type { Db } from "@/lib/database/client";

/** Calls of a token, newest first; `before` is the last id of the page before. */
export async function listTaskIds(
  db: Db,
  { tokenId, before, limit }: { tokenId: string; before: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.call.findMany({
    where: { run: { session: { tokenId } }, ...(before !== null && { id: { lt: before } }) },
    orderBy: { id: "desc" },
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}
