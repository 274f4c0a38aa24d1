import { PAGE_SIZE } from "@/lib/domain/limits";
import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { type Page, toPage } from "@/lib/store/queries/page";
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

export interface RunFilter {
  workflow?: string;
  status?: readonly RunStatus[];
  agent?: string;
  /** Words that stand in the run's id, workflow, agents, starter or params. */
  q?: string;
  from?: Date;
  to?: Date;
}

/** Runs that fit, newest first. Ids sort by time, so the id is the key of the pages. */
export async function listRuns(db: Db, query: RunFilter & { cursor?: string; limit?: number }): Promise<Page<RunSummary>> {
  const limit = query.limit ?? PAGE_SIZE;
  const ids = await db.$queryRaw<{ id: string }[]>`SELECT id FROM runs WHERE ${toCondition(query)} ORDER BY id DESC LIMIT ${limit + 1}`;
  const rows = await db.run.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: "desc" },
    include: { _count: { select: { approvals: { where: { status: "pending" } } } } },
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
    agents: row.agents,
    pendingApprovals: row._count.approvals,
    figures: toFigures(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    completedAt: row.completedAt,
  }));
}

function toCondition({ workflow, status, agent, q, from, to, cursor }: RunFilter & { cursor?: string }): Prisma.Sql {
  const parts = [
    Prisma.sql`true`,
    ...(cursor ? [Prisma.sql`id < ${cursor}`] : []),
    ...(workflow ? [Prisma.sql`workflow = ${workflow}`] : []),
    ...(status && status.length > 0 ? [Prisma.sql`status = ANY (${[...status]}::run_status[])`] : []),
    ...(agent ? [Prisma.sql`agents @> ARRAY[${agent}]::text[]`] : []),
    ...(q ? [Prisma.sql`to_tsvector('simple', search_text) @@ plainto_tsquery('simple', ${q})`] : []),
    ...(from ? [Prisma.sql`created_at >= ${from}`] : []),
    ...(to ? [Prisma.sql`created_at < ${to}`] : []),
  ];
  return Prisma.join(parts, " AND ");
}
