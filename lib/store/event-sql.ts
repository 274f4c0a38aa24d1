import { type AuditEvent, sealEvent } from "@/lib/domain/audit-event";
import { createId } from "@/lib/ids";
import { auditKeys } from "@/lib/store/audit-keys";
import { Prisma } from "@/lib/store/generated/client";

export type NewEvent = Omit<AuditEvent, "id">;

/**
 * The part of a transition that appends its event: `INSERT … SELECT … FROM <moved>`, so that the event exists exactly when
 * `moved` (a CTE of the same statement) has a row.
 */
export function insertEvent(event: NewEvent, moved: string): Prisma.Sql {
  return insertEvents([event], moved);
}

/** Several events of one transition, placed in the order given. */
export function insertEvents(events: NewEvent[], moved: string): Prisma.Sql {
  const key = auditKeys()[0];
  const sealed = events.map((event) => sealEvent({ ...event, id: createId("event") }, key));
  const rows = sealed.map((event, place) => Prisma.sql`(${place}::int, ${event.id}, ${event.chainId}, ${event.body}, ${event.mac})`);
  return Prisma.sql`INSERT INTO events (id, chain_id, body, mac)
    SELECT v.id, v.chain_id, v.body, v.mac
    FROM (SELECT 1 FROM ${Prisma.raw(moved)} LIMIT 1) AS moved_once, (VALUES ${Prisma.join(rows)}) AS v (place, id, chain_id, body, mac)
    ORDER BY v.place`;
}

/** An event that belongs to one of the rows that the statement may move; null when it belongs to the transition as a whole. */
export interface PlacedEvent {
  about: string | null;
  event: NewEvent;
}

/**
 * As `insertEvents`, for a transition that moves rows which others may have moved before it: of the events about one row those are written
 * whose row is among `ids`, a list of what the statement really moved. The text is the same for any number of events.
 */
export function insertEventsAbout(events: PlacedEvent[], moved: string, ids: Prisma.Sql): Prisma.Sql {
  const key = auditKeys()[0];
  const rows = events.map(({ about, event }, place) => ({ place, about, ...sealEvent({ ...event, id: createId("event") }, key) }));
  return Prisma.sql`INSERT INTO events (id, chain_id, body, mac)
    SELECT v.id, v."chainId", v.body, v.mac
    FROM (SELECT 1 FROM ${Prisma.raw(moved)} LIMIT 1) AS moved_once,
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS v (place int, about text, id text, "chainId" text, body text, mac text)
    WHERE v.about IS NULL OR v.about IN (${ids})
    ORDER BY v.place`;
}
