/** Removes a group and its memberships, with its event; never one that is named in `kept`. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export type DeleteOutcome = { kind: "deleted" } | { kind: "absent" } | { kind: "kept"; name: string };

export async function deleteGroupRow(
  db: Db,
  group: { id: string; kept: string[] },
  actor: Actor,
  at: Date,
): Promise<DeleteOutcome> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "group.deleted", at, actor, data: { group_id: group.id } },
    "moved",
  );
  const [row] = await db.$queryRaw<{ name: string; moved: boolean }[]>`
    WITH asked AS MATERIALIZED (SELECT id, name FROM groups WHERE id = ${group.id} FOR UPDATE),
      moved AS (DELETE FROM groups USING asked WHERE groups.id = asked.id AND asked.name <> ALL (${group.kept}) RETURNING groups.id),
      logged AS (${event})
    SELECT name, EXISTS (SELECT 1 FROM moved) AS moved FROM asked`;
  if (!row) return { kind: "absent" };
  return row.moved ? { kind: "deleted" } : { kind: "kept", name: row.name };
}
