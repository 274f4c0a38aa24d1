/**
 * The audit trail for lists. Matches are found in the projection `events` and in the end of the journal that is not
 * projected yet, in one statement, so that nothing is missing or doubled; what is shown is read from the journal
 * itself.
 */
import { IS_UNPROJECTED, journalEvents } from "@/lib/audit/queries/journal-events";
import type { EventData } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { type Page, toPage } from "@/lib/database/page";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { isId } from "@/lib/ids";
import { PAGE_SIZE } from "@/lib/limits";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";
import { type Actor, type ActorKind, SYSTEM_ACTOR } from "@/lib/people/rules/actor";

export interface TrailEvent {
  id: string;
  chainId: string;
  /** Of the journal row that contains it. */
  seq: number;
  type: string;
  at: Date;
  actor: { kind: ActorKind; id: string; name: string };
  /** As it was sealed, redacted. */
  body: unknown;
  /** The part of it about the subject itself. */
  data: EventData;
  /** Of the journal row that contains it. */
  hash: string;
}

export interface TrailFilter {
  chainId?: string;
  /** A whole type (`user.created`) or its noun (`user`). */
  type?: string;
  /** An id, or a part of a name or e-mail address. */
  actor?: string;
  from?: Date;
  to?: Date;
}

/** The audit trail, newest first. */
export async function listEvents(
  db: Db,
  query: TrailFilter & { cursor?: string; limit?: number },
): Promise<Page<TrailEvent>> {
  const limit = query.limit ?? PAGE_SIZE;
  const before = query.cursor ? Prisma.sql`id < ${query.cursor}` : Prisma.sql`TRUE`;
  const rows = await readEvents(db, await toConditions(db, query), {
    place: before,
    order: Prisma.sql`id DESC`,
    limit: limit + 1,
  });
  const { items, nextCursor } = toPage(rows, limit, { cursorOf: ({ id }) => id, map: toTrailEvents });
  return { items: items.flat(), nextCursor };
}

/** The same filter, oldest first, in batches: for exports of any size. */
export async function* streamEvents(db: Db, filter: TrailFilter, batch = 1000): AsyncGenerator<TrailEvent> {
  const conditions = await toConditions(db, filter);
  let after = "";
  for (;;) {
    const place = Prisma.sql`id > ${after}`;
    const rows = await readEvents(db, conditions, { place, order: Prisma.sql`id`, limit: batch });
    yield* rows.flatMap(toTrailEvents);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < batch) return;
  }
}

interface Piece {
  place: Prisma.Sql;
  order: Prisma.Sql;
  limit: number;
}

interface StoredEvent {
  id: string;
  chainId: string;
  seq: number;
  at: Date;
  /** Null where the journal has no such event. */
  event: { type: string; actor?: Actor; data: EventData } | null;
  hash: string;
}

/** A row is written at the time of its events, or soon after, so partitions of other months are not searched. */
const NEAR = Prisma.sql`interval '1 day'`;

async function readEvents(
  db: Db,
  { projected, tail }: Conditions,
  { place, order, limit }: Piece,
): Promise<StoredEvent[]> {
  const columns = Prisma.sql`id, chain_id, seq, at`;
  return db.$queryRaw<StoredEvent[]>`${PLAN_ANEW}WITH found AS MATERIALIZED (
      SELECT * FROM (
        (SELECT ${columns} FROM events WHERE ${projected} AND ${place} ORDER BY ${order} LIMIT ${limit})
        UNION ALL
        (SELECT ${columns} FROM ${journalEvents(IS_UNPROJECTED)} t WHERE ${tail} AND ${place} ORDER BY ${order} LIMIT ${limit})
      ) AS fitting ORDER BY ${order} LIMIT ${limit}
    )
    SELECT found.id, found.chain_id AS "chainId", found.seq, found.at, encode(j.hash, 'hex') AS hash,
      (SELECT e FROM jsonb_array_elements(j.body::jsonb -> 'events') AS e WHERE e ->> 'id' = found.id) AS event
    FROM found LEFT JOIN journal j ON j.run_id = found.chain_id AND j.seq = found.seq
      AND j.at BETWEEN found.at - ${NEAR} AND found.at + ${NEAR}
    ORDER BY ${order}`;
}

/** What exists only in a projection is not on the trail, and not shown. */
function toTrailEvents({ id, chainId, seq, at, event, hash }: StoredEvent): TrailEvent[] {
  if (!event) return [];
  const { type, actor = SYSTEM_ACTOR, data } = event;
  const body = { actor, at: at.toISOString(), chain: chainId, data, id, type };
  return [
    { id, chainId, seq, type, at, actor: { kind: actor.kind, id: actor.id, name: actor.name }, body, data, hash },
  ];
}

/**
 * What every run writes. These are found quickly in the order of ids; all others are in the index events_by_type, which
 * leaves out exactly these.
 */
export const USUAL_TYPES = [
  "run.created",
  "run.started",
  "run.resumed",
  "run.parked",
  "run.completed",
  "step.started",
  "step.complete",
  "turn.recorded",
  "call.allowed",
  "call.approved",
  "call.pending_approval",
  "call.executing",
  "call.succeeded",
  "approval.requested",
  "approval.decided",
];
/** A literal, because Postgres uses the partial index only if the statement itself contains its condition. */
const IS_UNUSUAL = Prisma.raw(`type NOT IN (${USUAL_TYPES.map((type) => `'${type}'`).join(", ")})`);

/** The same filter for projected events, written to match the indexes, and for events not yet projected. */
interface Conditions {
  projected: Prisma.Sql;
  tail: Prisma.Sql;
}

async function toConditions(db: Db, { chainId, type, actor, from, to }: TrailFilter): Promise<Conditions> {
  const parts = [Prisma.sql`TRUE`];
  if (chainId) parts.push(Prisma.sql`chain_id = ${chainId}`);
  if (actor) parts.push(await byActor(db, actor));
  if (from) parts.push(Prisma.sql`at >= ${from}`);
  if (to) parts.push(Prisma.sql`at < ${to}`);
  if (!type) return { projected: Prisma.join(parts, " AND "), tail: Prisma.join(parts, " AND ") };
  const isWhole = type.includes(".");
  const projected = ofTypes(isWhole ? [type] : await listTypes(db, type));
  const tail = isWhole ? Prisma.sql`type = ${type}` : Prisma.sql`starts_with(type, ${`${type}.`})`;
  return { projected: Prisma.join([...parts, projected], " AND "), tail: Prisma.join([...parts, tail], " AND ") };
}

/** The index events_by_actor leaves out what the system does. */
async function byActor(db: Db, actor: string): Promise<Prisma.Sql> {
  if (actor === SYSTEM_ACTOR.id) return Prisma.sql`actor_id = ${actor}`;
  const ids = isId("user", actor) || isId("token", actor) ? [actor] : await listNamedIds(db, actor);
  return Prisma.sql`actor_id = ANY (${ids}::text[]) AND actor_kind <> 'system'`;
}

function ofTypes(types: readonly string[]): Prisma.Sql {
  const fits = Prisma.sql`type = ANY (${[...types]}::text[])`;
  return types.some((type) => USUAL_TYPES.includes(type)) ? fits : Prisma.sql`${fits} AND ${IS_UNUSUAL}`;
}

/** The projected types of a noun, each found by one index step: they are few, and their events are many. */
async function listTypes(db: Db, noun: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ type: string }[]>`
    WITH RECURSIVE kinds AS (
      (SELECT type FROM events WHERE ${IS_UNUSUAL} ORDER BY type LIMIT 1)
      UNION ALL
      SELECT (SELECT type FROM events WHERE type > kinds.type AND ${IS_UNUSUAL} ORDER BY type LIMIT 1)
      FROM kinds WHERE kinds.type IS NOT NULL
    ) SELECT type FROM kinds WHERE type IS NOT NULL`;
  return [...USUAL_TYPES, ...rows.map(({ type }) => type)].filter((type) => type.startsWith(`${noun}.`));
}
