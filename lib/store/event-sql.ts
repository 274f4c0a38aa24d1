import { type AuditEvent, sealEvent } from "@/lib/domain/audit-event";
import { createId } from "@/lib/ids";
import { auditKeys } from "@/lib/store/audit-keys";
import { Prisma } from "@/lib/store/generated/client";

/**
 * The part of a transition that appends its event: `INSERT … SELECT … FROM <moved>`, so that the event exists exactly when
 * `moved` (a CTE of the same statement) has a row.
 */
export function insertEvent(event: Omit<AuditEvent, "id">, moved: string): Prisma.Sql {
  const sealed = sealEvent({ ...event, id: createId("event") }, auditKeys()[0]);
  return Prisma.sql`INSERT INTO events (id, chain_id, body, mac)
    SELECT ${sealed.id}, ${sealed.chainId}, ${sealed.body}, ${sealed.mac} FROM ${Prisma.raw(moved)} LIMIT 1`;
}
