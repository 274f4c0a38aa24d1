import { PAGE_SIZE } from "@/lib/domain/limits";
import { type ActorKind, SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { EventData } from "@/lib/domain/audit-event";
import { isId } from "@/lib/ids";
import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { PLAN_ANEW } from "@/lib/store/plan-anew";
import { listNamedIds } from "@/lib/store/queries/list-named-ids";
import { type Page, toPage } from "@/lib/store/queries/page";

export interface TrailEvent {
  id: string;
  chainId: string;
  seq: number;
  type: string;
  at: Date;
  actor: { kind: ActorKind; id: string; name: string };
  /** As it was sealed, redacted. */
  body: unknown;
  /** The part of it that is about the thing itself. */
  data: EventData;
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
export async function listEvents(db: Db, query: TrailFilter & { cursor?: string; limit?: number }): Promise<Page<TrailEvent>> {
  const limit = query.limit ?? PAGE_SIZE;
  const before = query.cursor ? Prisma.sql`id < ${query.cursor}` : Prisma.sql`TRUE`;
  const ids = await db.$queryRaw<{ id: string }[]>`${PLAN_ANEW}SELECT id FROM events WHERE ${await toWhere(db, query)} AND ${before} ORDER BY id DESC LIMIT ${limit + 1}`;
  const rows = await db.event.findMany({ where: { id: { in: ids.map(({ id }) => id) } }, orderBy: { id: "desc" } });
  return toPage(rows, limit, (row) => row.id, toTrailEvent);
}

/** The same filter, oldest first, in pieces: for exports of any size. */
export async function* streamEvents(db: Db, filter: TrailFilter, batch = 1000): AsyncGenerator<TrailEvent> {
  const where = await toWhere(db, filter);
  let after = "";
  for (;;) {
    const ids = await db.$queryRaw<{ id: string }[]>`${PLAN_ANEW}SELECT id FROM events WHERE ${where} AND id > ${after} ORDER BY id LIMIT ${batch}`;
    const rows = await db.event.findMany({ where: { id: { in: ids.map(({ id }) => id) } }, orderBy: { id: "asc" } });
    for (const row of rows) yield toTrailEvent(row);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < batch) return;
  }
}

/** What every run writes. These are found soon in the order of ids; all others are in the index events_by_type, which leaves out exactly these. */
export const USUAL_TYPES = [
  "run.created", "run.started", "run.resumed", "run.parked", "run.completed", "step.started", "step.complete", "turn.recorded",
  "call.approved", "call.pending_approval", "call.executing", "call.succeeded", "approval.requested", "approval.decided",
];
/** Written out, because Postgres takes the index only for a statement that says by itself that it needs no others. */
const IS_UNUSUAL = Prisma.raw(`type NOT IN (${USUAL_TYPES.map((type) => `'${type}'`).join(", ")})`);

async function toWhere(db: Db, filter: TrailFilter): Promise<Prisma.Sql> {
  const parts = [Prisma.sql`TRUE`];
  if (filter.chainId) parts.push(Prisma.sql`chain_id = ${filter.chainId}`);
  if (filter.type) parts.push(ofTypes(filter.type.includes(".") ? [filter.type] : await listTypes(db, filter.type)));
  if (filter.actor) parts.push(await byActor(db, filter.actor));
  if (filter.from) parts.push(Prisma.sql`at >= ${filter.from}`);
  if (filter.to) parts.push(Prisma.sql`at < ${filter.to}`);
  return Prisma.join(parts, " AND ");
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

/** The types of a noun that occur, each found by one step through the index: they are few, and their events are many. */
async function listTypes(db: Db, noun: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ type: string }[]>`
    WITH RECURSIVE kinds AS (
      (SELECT type FROM events WHERE ${IS_UNUSUAL} ORDER BY type LIMIT 1)
      UNION ALL
      SELECT (SELECT type FROM events WHERE type > kinds.type AND ${IS_UNUSUAL} ORDER BY type LIMIT 1) FROM kinds WHERE kinds.type IS NOT NULL
    ) SELECT type FROM kinds WHERE type IS NOT NULL`;
  return [...USUAL_TYPES, ...rows.map(({ type }) => type)].filter((type) => type.startsWith(`${noun}.`));
}

function toTrailEvent(row: Prisma.EventGetPayload<object>): TrailEvent {
  const body = JSON.parse(row.body) as { data: EventData };
  return {
    id: row.id,
    chainId: row.chainId,
    seq: row.seq,
    type: row.type,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    body,
    data: body.data,
    hash: row.hash,
  };
}
