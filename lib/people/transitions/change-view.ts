/** Gives a person's own view another name, and makes it the one with which History opens, or no longer. */
import type { Db } from "@/lib/database/client";

/** Someone else's view counts as absent. Nothing is changed when the name is taken. */
export async function changeViewRow(
  db: Db,
  change: { id: string; userId: string; name: string; isDefault: boolean },
): Promise<"changed" | "absent" | "name_taken"> {
  const [row] = await db.$queryRaw<{ changed: boolean; taken: boolean }[]>`
    WITH taken AS (
      SELECT 1 FROM saved_views WHERE user_id = ${change.userId} AND name = ${change.name} AND id <> ${change.id}
    ), changed AS (
      UPDATE saved_views SET
        name = CASE WHEN id = ${change.id} THEN ${change.name} ELSE name END,
        is_default = CASE WHEN id = ${change.id} THEN ${change.isDefault} ELSE is_default AND NOT ${change.isDefault} END
      WHERE user_id = ${change.userId} AND NOT EXISTS (SELECT 1 FROM taken)
        AND EXISTS (SELECT 1 FROM saved_views WHERE id = ${change.id} AND user_id = ${change.userId})
      RETURNING id
    )
    SELECT EXISTS (SELECT 1 FROM changed) AS changed, EXISTS (SELECT 1 FROM taken) AS taken`;
  if (row?.changed) return "changed";
  return row?.taken ? "name_taken" : "absent";
}
