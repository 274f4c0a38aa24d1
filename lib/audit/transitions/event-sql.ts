/**
 * Events that belong to no run: people, tokens, settings, sign-ins. They are journal rows in the chain "system", each
 * given its position by the database under a lock on that chain. What belongs to a run is written by
 * lib/runs/journal/commit.ts alone.
 */
import type { AuditEvent, SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { auditKeys } from "@/lib/database/audit-keys";
import { Prisma } from "@/lib/database/generated/client";
import { createId } from "@/lib/ids";
import { sealEntry } from "@/lib/runs/journal/entry";

/** Its id is created when it is written. */
export type NewEvent = Omit<AuditEvent, "id" | "chainId"> & { chainId: typeof SYSTEM_CHAIN };

/**
 * The part of a transition that appends its event: `INSERT … SELECT … FROM <moved>`, so that the event exists exactly
 * when `moved` (a CTE of the same statement) has a row.
 */
export function insertEvent(event: NewEvent, moved: string): Prisma.Sql {
  return insertEvents([event], moved);
}

/** Several events of one transition, in the order given: one journal row. */
export function insertEvents(events: readonly [NewEvent, ...NewEvent[]], moved: string): Prisma.Sql {
  const [{ at, chainId }] = events;
  const sealed = events.map((event) => ({ ...event, id: createId("event"), at: event.at.toISOString() }));
  const content = { chain: chainId, at: at.toISOString(), events: sealed, data: null };
  const { body, mac } = sealEntry(content, auditKeys()[0]);
  // The position is requested with a value of `m`; otherwise it could be assigned although nothing was changed.
  return Prisma.sql`INSERT INTO journal (run_id, seq, at, body, mac, hash)
    SELECT m.chain, p.seq, ${at}::timestamptz, ${body}::text, ${mac}::bytea, p.hash
    FROM (SELECT ${chainId}::text AS chain FROM ${Prisma.raw(moved)} LIMIT 1) AS m,
      LATERAL next_in_chain(m.chain, ${mac}::bytea, ${body}::text) AS p`;
}
