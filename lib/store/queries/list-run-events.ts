import type { ActorKind } from "@/lib/domain/actor";
import type { EventData } from "@/lib/domain/audit-event";
import { PAGE_SIZE } from "@/lib/domain/limits";
import type { Db } from "@/lib/store/client";
import { type Page, toPage } from "@/lib/store/queries/page";

export interface RunEvent {
  /** Its place in the run, from 1 without a gap. */
  seq: number;
  id: string;
  type: string;
  at: Date;
  actor: { kind: ActorKind; id: string; name: string };
  data: EventData;
}

/** What happened in a run after a place, oldest first. An unknown run has no events. */
export async function listRunEvents(db: Db, runId: string, query: { after?: number; limit?: number } = {}): Promise<Page<RunEvent>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.event.findMany({ where: { chainId: runId, seq: { gt: query.after ?? 0 } }, orderBy: { seq: "asc" }, take: limit + 1 });
  return toPage(rows, limit, (row) => String(row.seq), (row) => ({
    seq: row.seq,
    id: row.id,
    type: row.type,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    data: (JSON.parse(row.body) as { data: EventData }).data,
  }));
}
