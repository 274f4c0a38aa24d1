import { PAGE_SIZE } from "@/lib/limits";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { type Page, toPage } from "@/lib/database/page";
import { type RunFilter, runsWhere } from "@/lib/runs/queries/run-filter";
import { findStarters } from "@/lib/runs/queries/starter-people";
import { type Figures, type RunFailure, type StartedBy, toFigures } from "@/lib/runs/queries/run-view";

export interface RunSummary {
  id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  error: RunFailure | null;
  /** With the person: who started it, or whose token or agent did; null where none is on record. */
  startedBy: StartedBy & { person: string | null };
  retryOfRunId: string | null;
  agents: string[];
  pendingApprovals: number;
  figures: Figures;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** Without params and output, which may be megabytes each. */
const SUMMARY = {
  id: true,
  workflow: true,
  version: true,
  status: true,
  error: true,
  startedByKind: true,
  startedById: true,
  startedByName: true,
  startedByUserId: true,
  retryOfRunId: true,
  tokensIn: true,
  tokensOut: true,
  costUsd: true,
  llmCalls: true,
  toolCalls: true,
  createdAt: true,
  updatedAt: true,
  completedAt: true,
  agents: true,
} satisfies Prisma.RunSelect;

/** Matching runs, newest first. Ids sort by time, so the id is the key of the pages. */
export async function listRuns(
  db: Db,
  query: RunFilter & { cursor?: string; limit?: number },
): Promise<Page<RunSummary>> {
  const limit = query.limit ?? PAGE_SIZE;
  const ids = await db.$queryRaw<
    { id: string }[]
  >`${PLAN_ANEW}SELECT id FROM runs WHERE ${await runsWhere(db, query, { cursor: query.cursor, limit: limit + 1 })} ORDER BY id DESC LIMIT ${limit + 1}`;
  const found = ids.map(({ id }) => id);
  const [rows, pending] = await Promise.all([
    db.run.findMany({ where: { id: { in: found } }, orderBy: { id: "desc" }, select: SUMMARY }),
    countPendingOf(db, found),
  ]);
  const personBehind = await findStarters(db, rows);
  return toPage(rows, limit, {
    cursorOf: (row) => row.id,
    map: (row) => ({
      id: row.id,
      workflow: row.workflow,
      version: row.version,
      status: row.status,
      error: row.error as RunFailure | null,
      startedBy: {
        kind: row.startedByKind,
        id: row.startedById,
        name: row.startedByName,
        person: row.startedByKind === "user" ? row.startedByName : personBehind(row),
      },
      retryOfRunId: row.retryOfRunId,
      agents: row.agents,
      pendingApprovals: pending.get(row.id) ?? 0,
      figures: toFigures(row),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      completedAt: row.completedAt,
    }),
  });
}

/** Only for these runs; as part of the list's own query it would be counted for all runs. */
async function countPendingOf(db: Db, runIds: string[]): Promise<Map<string, number>> {
  const rows = await db.$queryRaw<{ id: string; count: number }[]>`
    SELECT run_id AS id, count(*)::int AS count FROM approvals WHERE run_id = ANY (${runIds}) AND status = 'pending' GROUP BY run_id`;
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** All matching runs, in batches that fit in memory: for exports of any size. */
export async function* streamRuns(db: Db, filter: RunFilter, batch = 500): AsyncGenerator<RunSummary> {
  for (let cursor: string | undefined; ;) {
    const page = await listRuns(db, { ...filter, cursor, limit: batch });
    yield* page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
