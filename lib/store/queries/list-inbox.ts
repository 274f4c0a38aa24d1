import { DANGER_LEVELS, type DangerLevel } from "@/lib/domain/danger";
import { refusalToDecide } from "@/lib/domain/eligibility";
import { PAGE_SIZE } from "@/lib/domain/limits";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { decidableBy, type InboxReader } from "@/lib/store/queries/inbox-reader";
import { type Page, toPage } from "@/lib/store/queries/page";

export type InboxSort = "expiry" | "age" | "danger";

export interface InboxFilter {
  danger?: DangerLevel;
  workflow?: string;
  agent?: string;
  /** Only what the reader could decide. */
  mine?: boolean;
}

export interface InboxRow {
  id: string;
  callId: string;
  server: string;
  tool: string;
  summary: string;
  danger: DangerLevel;
  workflow: string;
  agent: string;
  startedBy: string;
  digest: string;
  approvals: number;
  minApprovals: number;
  createdAt: string;
  expiresAt: string | null;
  /** Why the reader cannot decide it; null when they can. */
  refusal: string | null;
  decidedByReader: boolean;
}

export interface InboxQuery extends InboxFilter {
  sort: InboxSort;
  cursor?: InboxCursor;
  limit?: number;
}

/** The place after which a page begins: the last row of the page before it. */
export interface InboxCursor {
  id: string;
  danger: DangerLevel;
  expiresAt: Date | null;
}

/** Pending approvals in the order of the work. Each order has an index of its own, which holds pending rows only. */
export async function listInbox(db: Db, reader: InboxReader, query: InboxQuery): Promise<Page<InboxRow>> {
  const limit = query.limit ?? PAGE_SIZE;
  const where = inboxWhere(reader, query);
  if (where === null) return { items: [], nextCursor: null };
  const rows = await db.approval.findMany({
    where: { AND: [where, query.cursor ? after(query.sort, query.cursor) : {}] },
    orderBy: orderOf(query.sort),
    take: limit + 1,
    include: {
      call: { select: { summary: true } },
      run: { select: { startedByName: true, startedByUserId: true } },
      decisions: { where: { userId: reader.userId }, select: { id: true } },
    },
  });
  return toPage(rows, limit, formatCursor, (row) => toInboxRow(row, reader));
}

/** Null when nothing can fit. */
export function inboxWhere(reader: InboxReader, filter: InboxFilter): Prisma.ApprovalWhereInput | null {
  const mine = filter.mine ? decidableBy(reader) : {};
  return mine && { status: "pending", danger: filter.danger, workflow: filter.workflow, agent: filter.agent, ...mine };
}

function orderOf(sort: InboxSort): Prisma.ApprovalOrderByWithRelationInput[] {
  switch (sort) {
    case "expiry":
      return [{ expiresAt: { sort: "asc", nulls: "last" } }, { id: "asc" }];
    case "age":
      return [{ id: "asc" }];
    case "danger":
      return [{ danger: "desc" }, { id: "asc" }];
  }
}

function after(sort: InboxSort, { id, danger, expiresAt }: InboxCursor): Prisma.ApprovalWhereInput {
  if (sort === "age") return { id: { gt: id } };
  if (sort === "danger") return { OR: [{ danger: { in: DANGER_LEVELS.slice(0, DANGER_LEVELS.indexOf(danger)) } }, { danger, id: { gt: id } }] };
  if (expiresAt === null) return { expiresAt: null, id: { gt: id } };
  return { OR: [{ expiresAt: { gt: expiresAt } }, { expiresAt, id: { gt: id } }, { expiresAt: null }] };
}

export function formatCursor(row: { id: string; danger: string; expiresAt: Date | null }): string {
  return `${row.id}.${row.danger}.${row.expiresAt?.getTime() ?? ""}`;
}

/** Undefined for a text that no page ever gave out. */
export function parseCursor(text: string): InboxCursor | undefined {
  const [, id, level, time] = /^(apr_[0-9a-z]{26})\.([a-z]+)\.(\d{0,15})$/.exec(text) ?? [];
  const danger = DANGER_LEVELS.find((known) => known === level);
  if (id === undefined || danger === undefined || time === undefined) return undefined;
  return { id, danger, expiresAt: time === "" ? null : new Date(Number(time)) };
}

type Row = Prisma.ApprovalGetPayload<{ include: { call: { select: { summary: true } }; run: { select: { startedByName: true; startedByUserId: true } }; decisions: { select: { id: true } } } }>;

function toInboxRow(row: Row, reader: InboxReader): InboxRow {
  const { id, callId, server, tool, danger, workflow, agent, digest, approvals, minApprovals } = row;
  return {
    id, callId, server, tool, danger, workflow, agent, digest, approvals, minApprovals,
    // A question that was asked again carries no sentence of its own; its call does.
    summary: showInvisible(row.summary || row.call.summary || tool),
    startedBy: row.run.startedByName,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    refusal: refusalToDecide(reader, { ...row, startedByUserId: row.run.startedByUserId }),
    decidedByReader: row.decisions.length > 0,
  };
}
