/** Stores filters under a name that is unique for their person. A default replaces the one before. */
import type { Db } from "@/lib/database/client";

interface View {
  id: string;
  userId: string;
  name: string;
  query: string;
  isDefault: boolean;
}

/** Nothing is changed when the name is taken or the person has as many views as they may have. */
export async function saveViewRow(
  db: Db,
  view: View,
  { viewsMax, at }: { viewsMax: number; at: Date },
): Promise<"saved" | "name_taken" | "too_many"> {
  const [row] = await db.$queryRaw<{ saved: boolean; taken: boolean }[]>`
    WITH saved AS (
      INSERT INTO saved_views (id, user_id, name, query, is_default, created_at)
      SELECT ${view.id}, ${view.userId}, ${view.name}, ${view.query}, ${view.isDefault}, ${at}
      WHERE (SELECT count(*) FROM saved_views WHERE user_id = ${view.userId}) < ${viewsMax}
      ON CONFLICT (user_id, name) DO NOTHING
      RETURNING id
    ), replaced AS (
      UPDATE saved_views SET is_default = FALSE WHERE ${view.isDefault} AND user_id = ${view.userId} AND is_default AND EXISTS (SELECT 1 FROM saved)
    )
    SELECT EXISTS (SELECT 1 FROM saved) AS saved, EXISTS (SELECT 1 FROM saved_views WHERE user_id = ${view.userId} AND name = ${view.name}) AS taken`;
  if (row?.saved) return "saved";
  return row?.taken ? "name_taken" : "too_many";
}
