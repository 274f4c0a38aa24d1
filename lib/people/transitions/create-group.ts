/** Makes a group of people, with its event. A name that is taken changes nothing and returns null. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function createGroupRow(
  db: Db,
  group: { id: string; name: string; description: string },
  actor: Actor,
  at: Date,
): Promise<{ id: string } | null> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "group.created", at, actor, data: { group_id: group.id, name: group.name } },
    "created",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH created AS (
      INSERT INTO groups (id, name, description, created_at) VALUES (${group.id}, ${group.name}, ${group.description}, ${at})
      ON CONFLICT (name) DO NOTHING
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM created`;
  return rows[0] ?? null;
}
