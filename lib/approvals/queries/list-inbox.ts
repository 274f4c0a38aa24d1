import { countRefused, RETRIES_AFTER_REJECTION } from "@/lib/approvals/rules/after-rejection";
import { DANGER_LEVELS, type DangerLevel } from "@/lib/policy/danger";
import { refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { PAGE_SIZE } from "@/lib/limits";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { type InboxFilter, type InboxReader, inboxWhere } from "@/lib/approvals/queries/inbox-reader";
import { findWords } from "@/lib/approvals/queries/inbox-words";
import { listFolded } from "@/lib/approvals/queries/list-folded";
import { type Page, toPage } from "@/lib/database/page";
import { findClients, type RunClient } from "@/lib/proxy/queries/find-client";
import { describeStarter, findStarters } from "@/lib/runs/queries/starter-people";
import { openBehind } from "@/lib/runs/queries/open-behind";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { STARTERS } from "@/lib/runs/queries/starters-sql";

export type InboxSort = "expiry" | "age" | "danger";

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
  /** The MCP client that asks, as it calls itself, and its profile. */
  client: { name: string; profile: string } | null;
  digest: string;
  /** Over the arguments alone: equal for equal arguments. */
  argumentsDigest: string;
  approvals: number;
  minApprovals: number;
  createdAt: string;
  expiresAt: string | null;
  /** Why the reader cannot decide it; null when they can. */
  refusal: string | null;
  decidedByReader: boolean;
  /** Its card shows some of its arguments only on demand. */
  isFolded: boolean;
  /** A rejection fails the agent, so the agent never reads the reason. */
  endsOnReject: boolean;
  /** Who has left a note on it. */
  notesBy: string[];
}

export interface InboxQuery extends InboxFilter {
  /** Words that must all occur, whole or as a prefix. */
  text?: string;
  sort: InboxSort;
  cursor?: InboxCursor;
  limit?: number;
}

/** Where a page begins: after the last row of the page before it. */
export interface InboxCursor {
  id: string;
  danger: DangerLevel;
  expiresAt: Date | null;
}

/**
 * Pending approvals in the order they should be worked on. Each order has its own index, from which the ids of a page
 * are read.
 */
export async function listInbox(db: Db, reader: InboxReader, query: InboxQuery): Promise<Page<InboxRow>> {
  const limit = query.limit ?? PAGE_SIZE;
  const fits = inboxWhere(reader, query);
  if (fits === null) return { items: [], nextCursor: null };
  const words = query.text === undefined ? null : await findWords(db, query.text);
  const where = query.cursor ? Prisma.sql`${fits} AND ${after(query.sort, query.cursor)}` : fits;
  const asked = { order: ORDERS[query.sort], limit: limit + 1, isAnew: words !== null || query.tool !== undefined };
  const near = words?.isCommon
    ? await findPage(
        db,
        Prisma.sql`(SELECT * FROM approvals a WHERE ${where} ORDER BY ${asked.order} LIMIT ${NEAR_MAX})`,
        { ...asked, where: words.fits },
      )
    : [];
  const found =
    near.length > limit
      ? near
      : await findPage(db, Prisma.sql`approvals`, {
          ...asked,
          where: words ? Prisma.sql`${where} AND ${await words.fitsByIndex()}` : where,
        });
  const rows = await db.approval.findMany({
    where: { id: { in: found.map((row) => row.id) } },
    include: {
      run: { select: { startedByKind: true, startedByName: true, startedByUserId: true } },
      setAsides: {
        where: { note: { not: null } },
        orderBy: { createdAt: "asc" },
        select: { user: { select: { name: true } } },
      },
    },
  });
  const behind = await openBehind(
    db,
    rows.map(({ runId }) => runId),
  );
  const [noTriesLeft, folded, personBehind, clients] = await Promise.all([
    findNoTriesLeft(db, rows, behind),
    listFolded(db, rows, behind),
    findStarters(
      db,
      rows.map(({ run }) => run),
    ),
    findClients(
      db,
      rows.map(({ runId }) => runId),
    ),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const page = toPage(found, limit, {
    cursorOf: formatCursor,
    map: ({ id, starterIds }) => ({ row: byId.get(id), starterIds }),
  });
  const toItem = ({ row, starterIds }: (typeof page.items)[number]) =>
    row
      ? [
          toInboxRow(row, {
            starterIds,
            reader,
            noTriesLeft,
            folded,
            startedBy: describeStarter(row.run, personBehind(row.run)),
            client: clients.get(row.runId) ?? null,
          }),
        ]
      : [];
  return { ...page, items: page.items.flatMap(toItem) };
}

/** Common words usually fill a page from this many rows in page order. */
const NEAR_MAX = 1000;

interface Found {
  id: string;
  danger: string;
  expiresAt: Date | null;
  starterIds: string[];
}

function findPage(
  db: Db,
  from: Prisma.Sql,
  { where, order, limit, isAnew }: { where: Prisma.Sql; order: Prisma.Sql; limit: number; isAnew: boolean },
): Promise<Found[]> {
  return db.$queryRaw<Found[]>`
    ${isAnew ? PLAN_ANEW : Prisma.empty}SELECT a.id, a.danger::text AS danger, a.expires_at AS "expiresAt", (SELECT ${STARTERS} FROM runs r WHERE r.id = a.run_id) AS "starterIds"
    FROM ${from} AS a WHERE ${where} ORDER BY ${order} LIMIT ${limit}`;
}

const ORDERS: Record<InboxSort, Prisma.Sql> = {
  expiry: Prisma.sql`a.expires_at ASC NULLS LAST, a.id ASC`,
  age: Prisma.sql`a.id ASC`,
  danger: Prisma.sql`a.danger DESC, a.id ASC`,
};

function after(sort: InboxSort, { id, danger, expiresAt }: InboxCursor): Prisma.Sql {
  if (sort === "age") return Prisma.sql`a.id > ${id}`;
  if (sort === "danger")
    return Prisma.sql`(a.danger < ${danger}::danger OR (a.danger = ${danger}::danger AND a.id > ${id}))`;
  if (expiresAt === null) return Prisma.sql`(a.expires_at IS NULL AND a.id > ${id})`;
  return Prisma.sql`((a.expires_at, a.id) > (${expiresAt}::timestamptz, ${id}) OR a.expires_at IS NULL)`;
}

export function formatCursor(row: { id: string; danger: string; expiresAt: Date | null }): string {
  return `${row.id}.${row.danger}.${row.expiresAt?.getTime() ?? ""}`;
}

/** Undefined for a text that is not a cursor of ours. */
export function parseCursor(text: string): InboxCursor | undefined {
  const [, id, level, time] = /^(apr_[0-9a-z]{26})\.([a-z]+)\.(\d{0,15})$/.exec(text) ?? [];
  const danger = DANGER_LEVELS.find((known) => known === level);
  if (id === undefined || danger === undefined || time === undefined) return undefined;
  return { id, danger, expiresAt: time === "" ? null : new Date(Number(time)) };
}

type Row = Prisma.ApprovalGetPayload<{
  include: {
    run: { select: { startedByKind: true; startedByName: true; startedByUserId: true } };
    setAsides: { select: { user: { select: { name: true } } } };
  };
}>;

/** Those whose rule is `retry` and whose retries are used up. */
async function findNoTriesLeft(
  db: Db,
  rows: readonly Row[],
  behind: ReadonlyMap<string, RunSnapshot>,
): Promise<ReadonlySet<string>> {
  const retrying = rows.filter(({ onReject }) => onReject === "retry");
  if (retrying.length === 0) return new Set();
  const refused = await db.call.findMany({
    where: { stepId: { in: retrying.map(({ stepId }) => stepId) }, status: { in: ["rejected", "expired"] } },
    select: { id: true, stepId: true, server: true, tool: true, status: true },
  });
  const callsOf = (row: Row) => behind.get(row.runId)?.calls.values() ?? refused;
  const isLast = (row: Row) => countRefused(callsOf(row), { ...row, id: row.callId }) >= RETRIES_AFTER_REJECTION;
  return new Set(retrying.filter(isLast).map(({ id }) => id));
}

interface RowFacts {
  starterIds: readonly string[];
  reader: InboxReader;
  noTriesLeft: ReadonlySet<string>;
  folded: ReadonlySet<string>;
  startedBy: string;
  client: RunClient | null;
}

function toInboxRow(row: Row, facts: RowFacts): InboxRow {
  const { starterIds, reader, noTriesLeft, folded, startedBy, client } = facts;
  const { id, callId, server, tool, danger, workflow, agent, digest, approvals, minApprovals } = row;
  return {
    id,
    callId,
    server,
    tool,
    danger,
    workflow,
    agent,
    approvals,
    minApprovals,
    startedBy,
    client: client && { name: client.name, profile: client.profile },
    digest: row.questionDigest ?? digest,
    argumentsDigest: digest,
    summary: showInvisible(row.summary || tool),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    refusal: refusalToDecide(reader, { ...row, starterIds }),
    decidedByReader: row.deciders.includes(reader.userId),
    isFolded: folded.has(callId),
    endsOnReject: row.onReject === "fail" || noTriesLeft.has(id),
    notesBy: row.setAsides.map((aside) => aside.user.name),
  };
}
