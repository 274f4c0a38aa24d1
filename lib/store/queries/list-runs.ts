import { PAGE_SIZE } from "@/lib/domain/limits";
import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import { type Page, toPage } from "@/lib/store/queries/page";
import { type RunFilter, runsWhere } from "@/lib/store/queries/run-filter";
import { type Figures, type RunFailure, type StartedBy, toFigures } from "@/lib/store/queries/run-view";

export interface RunSummary {
  id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  error: RunFailure | null;
  startedBy: StartedBy;
  parentRunId: string | null;
  retryOfRunId: string | null;
  agents: string[];
  pendingApprovals: number;
  figures: Figures;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** Runs that fit, newest first. Ids sort by time, so the id is the key of the pages. */
export async function listRuns(db: Db, query: RunFilter & { cursor?: string; limit?: number }): Promise<Page<RunSummary>> {
  const limit = query.limit ?? PAGE_SIZE;
  const ids = await db.$queryRaw<{ id: string }[]>`SELECT id FROM runs WHERE ${await runsWhere(db, query)} ORDER BY id DESC LIMIT ${limit + 1}`;
  const rows = await db.run.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: "desc" },
    include: { search: { select: { agents: true } }, _count: { select: { approvals: { where: { status: "pending" } } } } },
  });
  return toPage(rows, limit, (row) => row.id, (row) => ({
    id: row.id,
    workflow: row.workflow,
    version: row.version,
    status: row.status,
    error: row.error as RunFailure | null,
    startedBy: { kind: row.startedByKind, id: row.startedById, name: row.startedByName },
    parentRunId: row.parentRunId,
    retryOfRunId: row.retryOfRunId,
    agents: row.search?.agents ?? [],
    pendingApprovals: row._count.approvals,
    figures: toFigures(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    completedAt: row.completedAt,
  }));
}

/** The same runs to the last one, in pieces that fit in memory: for exports of any size. */
export async function* streamRuns(db: Db, filter: RunFilter, batch = 500): AsyncGenerator<RunSummary> {
  for (let cursor: string | undefined; ; ) {
    const page = await listRuns(db, { ...filter, cursor, limit: batch });
    yield* page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
