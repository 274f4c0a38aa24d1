/** Changes a group's name and description, with its event; the names in `kept` cannot be changed. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export interface GroupChange {
  id: string;
  name: string;
  description: string;
  kept: string[];
}

export type ChangeOutcome = { kind: "changed" | "absent" | "name_taken" } | { kind: "kept"; name: string };

export async function changeGroupRow(db: Db, group: GroupChange, actor: Actor, at: Date): Promise<ChangeOutcome> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "group.changed", at, actor, data: { group_id: group.id, name: group.name } },
    "moved",
  );
  const [row] = await db.$queryRaw<{ name: string; moved: boolean; taken: boolean }[]>`
    WITH asked AS MATERIALIZED (SELECT id, name FROM groups WHERE id = ${group.id} FOR UPDATE),
      taken AS (SELECT 1 FROM groups WHERE name = ${group.name} AND id <> ${group.id}),
      moved AS (
        UPDATE groups SET name = ${group.name}, description = ${group.description} FROM asked
        WHERE groups.id = asked.id AND (asked.name = ${group.name} OR asked.name <> ALL (${group.kept})) AND NOT EXISTS (SELECT 1 FROM taken)
        RETURNING groups.id
      ), logged AS (${event})
    SELECT name, EXISTS (SELECT 1 FROM moved) AS moved, EXISTS (SELECT 1 FROM taken) AS taken FROM asked`;
  if (!row) return { kind: "absent" };
  if (row.moved) return { kind: "changed" };
  return row.taken ? { kind: "name_taken" } : { kind: "kept", name: row.name };
}
