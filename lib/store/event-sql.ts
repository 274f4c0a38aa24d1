import { type AuditEvent, sealEvent } from "@/lib/domain/audit-event";
import { createId } from "@/lib/ids";
import { auditKeys } from "@/lib/store/audit-keys";
import { Prisma } from "@/lib/store/generated/client";

/** Its id is made when it is written, unless it has one. */
export type NewEvent = Omit<AuditEvent, "id"> & { id?: string };

/** For an event that is written later than others that come after it: lists are in the order of ids. */
export const withId = (event: NewEvent): NewEvent => ({ ...event, id: createId("event") });

/**
 * The part of a transition that appends its event: `INSERT … SELECT … FROM <moved>`, so that the event exists exactly when
 * `moved` (a CTE of the same statement) has a row.
 */
export function insertEvent(event: NewEvent, moved: string): Prisma.Sql {
  return insertEvents([event], moved);
}

/** Several events of one transition, placed in the order given. */
export function insertEvents(events: NewEvent[], moved: string): Prisma.Sql {
  return insertPlaced(events.map((event) => ({ about: null, event })), moved, null);
}

/** An event that belongs to one of the rows that the statement may move; null when it belongs to the transition as a whole. */
export interface PlacedEvent {
  about: string | null;
  event: NewEvent;
}

/**
 * As `insertEvents`, where some events belong to rows that others may have moved before: of the events about one row those are written whose row
 * is among `ids`, a list of what the statement really moved.
 */
export function insertEventsAbout(events: PlacedEvent[], moved: string, ids: Prisma.Sql): Prisma.Sql {
  return insertPlaced(events, moved, ids);
}

function insertPlaced(events: PlacedEvent[], moved: string, ids: Prisma.Sql | null): Prisma.Sql {
  const rows = events.map(({ about, event }, place) => {
    const { id, body, mac } = sealNow(event);
    const { kind, id: actorId, name } = event.actor;
    return Prisma.sql`(${place}::int, ${about}, ${id}, ${event.chainId}, ${event.type}, ${event.at}::timestamptz, ${kind}::actor_kind, ${actorId}, ${name}, ${body}, ${mac})`;
  });
  return Prisma.sql`INSERT INTO events (id, chain_id, type, at, actor_kind, actor_id, actor_name, body, mac)
    SELECT v.id, v.chain_id, v.type, v.at, v.actor_kind, v.actor_id, v.actor_name, v.body, v.mac
    FROM (SELECT 1 FROM ${Prisma.raw(moved)} LIMIT 1) AS moved_once,
      (VALUES ${Prisma.join(rows)}) AS v (place, about, id, chain_id, type, at, actor_kind, actor_id, actor_name, body, mac)
    ${ids ? Prisma.sql`WHERE v.about IS NULL OR v.about IN (${ids})` : Prisma.empty}
    ORDER BY v.place`;
}

/** As `insertEventsAbout`, with a text that is the same for any number of events. */
export function insertManyEventsAbout(events: PlacedEvent[], moved: string, ids: Prisma.Sql): Prisma.Sql {
  const rows = events.map(({ about, event }, place) => ({ place, about, ...sealNow(event) }));
  return Prisma.sql`INSERT INTO events (id, chain_id, body, mac)
    SELECT v.id, v."chainId", v.body, v.mac
    FROM (SELECT 1 FROM ${Prisma.raw(moved)} LIMIT 1) AS moved_once,
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS v (place int, about text, id text, "chainId" text, body text, mac text)
    WHERE v.about IS NULL OR v.about IN (${ids})
    ORDER BY v.place`;
}

const sealNow = (event: NewEvent) => sealEvent({ ...event, id: event.id ?? createId("event") }, auditKeys()[0]);
