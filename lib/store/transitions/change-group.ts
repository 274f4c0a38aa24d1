/** Changes a group's name and description, with its event. Says whether it was done, absent, or refused because the name is taken. */
import type { Actor } from "@/lib/domain/actor";
import { SYSTEM_CHAIN } from "@/lib/domain/audit-event";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export async function changeGroupRow(
  db: Db,
  group: { id: string; name: string; description: string },
  actor: Actor,
  at: Date,
): Promise<"changed" | "absent" | "name_taken"> {
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "group.changed", at, actor, data: { group_id: group.id, name: group.name } }, "moved");
  const [row] = await db.$queryRaw<{ moved: boolean; taken: boolean }[]>`
    WITH taken AS (SELECT 1 FROM groups WHERE name = ${group.name} AND id <> ${group.id}),
      moved AS (
        UPDATE groups SET name = ${group.name}, description = ${group.description}
        WHERE id = ${group.id} AND NOT EXISTS (SELECT 1 FROM taken)
        RETURNING id
      ), logged AS (${event})
    SELECT EXISTS (SELECT 1 FROM moved) AS moved, EXISTS (SELECT 1 FROM taken) AS taken`;
  if (row?.moved) return "changed";
  return row?.taken ? "name_taken" : "absent";
}
