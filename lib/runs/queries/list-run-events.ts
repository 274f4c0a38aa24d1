import type { ActorKind } from "@/lib/people/rules/actor";
import type { EventData } from "@/lib/audit/rules/audit-event";
import { PAGE_SIZE } from "@/lib/limits";
import type { Db } from "@/lib/database/client";
import { type Page, toPage } from "@/lib/database/page";
import { eventsIn, readRun } from "@/lib/runs/queries/read-run";

export interface RunEvent {
  /** Its position in the run, from 1 without gaps. */
  seq: number;
  id: string;
  type: string;
  at: Date;
  actor: { kind: ActorKind; id: string; name: string };
  data: EventData;
}

/** What happened in a run after a position, oldest first. An unknown run has no events. */
export async function listRunEvents(
  db: Db,
  runId: string,
  query: { after?: number; limit?: number } = {},
): Promise<Page<RunEvent>> {
  const { after = 0, limit = PAGE_SIZE } = query;
  const ends = (await readRun(db, runId))?.eventEnds ?? [];
  const first = ends.findIndex((end) => end > after);
  if (first === -1) return { items: [], nextCursor: null };
  const begins = ends[first - 1] ?? 0;
  const last = ends.findIndex((end) => end > after + limit);
  const rows = await db.$queryRaw<
    { body: string }[]
  >`SELECT body FROM journal WHERE run_id = ${runId} AND seq > ${first}
    AND seq <= ${last === -1 ? ends.length : last + 1} ORDER BY seq`;
  const events = rows
    .flatMap(eventsIn)
    .map((event, index) => ({ ...event, seq: begins + index + 1, at: new Date(event.at) }))
    .filter(({ seq }) => seq > after);
  return toPage(events.slice(0, limit + 1), limit, {
    cursorOf: ({ seq }) => String(seq),
    map: ({ seq, id, type, at, actor: { kind, id: actorId, name }, data }) => ({
      seq,
      id,
      type,
      at,
      actor: {
        kind,
        id: actorId,
        name,
      },
      data,
    }),
  });
}
