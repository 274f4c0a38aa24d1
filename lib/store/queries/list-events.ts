import { PAGE_SIZE } from "@/lib/domain/limits";
import type { ActorKind } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
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
  hash: string;
}

export interface TrailFilter {
  chainId?: string;
  /** A whole type (`user.created`) or its noun (`user`). */
  type?: string;
  actorId?: string;
  from?: Date;
  to?: Date;
}

/** The audit trail, newest first. */
export async function listEvents(db: Db, query: TrailFilter & { cursor?: string; limit?: number }): Promise<Page<TrailEvent>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.event.findMany({
    where: { ...toWhere(query), id: query.cursor ? { lt: query.cursor } : undefined },
    orderBy: { id: "desc" },
    take: limit + 1,
  });
  return toPage(rows, limit, (row) => row.id, toTrailEvent);
}

/** The same filter, oldest first, in pieces: for exports of any size. */
export async function* streamEvents(db: Db, filter: TrailFilter, batch = 1000): AsyncGenerator<TrailEvent> {
  let after: string | undefined;
  for (;;) {
    const rows = await db.event.findMany({
      where: { ...toWhere(filter), id: after ? { gt: after } : undefined },
      orderBy: { id: "asc" },
      take: batch,
    });
    for (const row of rows) yield toTrailEvent(row);
    after = rows.at(-1)?.id;
    if (rows.length < batch) return;
  }
}

function toWhere(filter: TrailFilter): Prisma.EventWhereInput {
  const type = filter.type === undefined || filter.type.includes(".") ? filter.type : { startsWith: `${filter.type}.` };
  return { chainId: filter.chainId, type, actorId: filter.actorId, at: filter.from || filter.to ? { gte: filter.from, lt: filter.to } : undefined };
}

function toTrailEvent(row: Prisma.EventGetPayload<object>): TrailEvent {
  return {
    id: row.id,
    chainId: row.chainId,
    seq: row.seq,
    type: row.type,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    body: JSON.parse(row.body),
    hash: row.hash,
  };
}
