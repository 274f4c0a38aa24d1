import type { Db } from "@/lib/database/client";

export interface SavedView {
  id: string;
  name: string;
  /** The filters as in the address. */
  query: string;
  isDefault: boolean;
}

/** A person's own views, by name. */
export async function listSavedViews(db: Db, userId: string): Promise<SavedView[]> {
  return db.savedView.findMany({
    where: { userId },
    orderBy: { name: "asc" },
    select: { id: true, name: true, query: true, isDefault: true },
  });
}
