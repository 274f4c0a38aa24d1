/** Removes a person's own view. False when there is none, or it is someone else's. */
import type { Db } from "@/lib/database/client";

export async function deleteViewRow(db: Db, view: { id: string; userId: string }): Promise<boolean> {
  const { count } = await db.savedView.deleteMany({ where: view });
  return count > 0;
}
