import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { type Page, toPage } from "@/lib/database/page";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { PAGE_SIZE } from "@/lib/limits";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";
import { showClientName } from "@/lib/proxy/queries/client-name";
import { toMoney } from "@/lib/runs/queries/run-view";

/** One session of an MCP client, with what it did. */
export interface SessionSummary {
  id: string;
  /** As the client calls itself. */
  client: string;
  profile: string;
  protocolVersion: string;
  token: { id: string; name: string; hint: string; revokedAt: Date | null; expiresAt: Date | null };
  person: { id: string; name: string };
  calls: SessionCounts;
  costUsd: number;
  createdAt: Date;
  lastSeenAt: Date;
  endedAt: Date | null;
}

export interface SessionCounts {
  /** At most SESSION_CALLS_COUNTED, and then there may be more. */
  total: number;
  /** Of those counted. */
  failed: number;
  waiting: number;
}

export interface SessionFilter {
  profile?: string;
  /** A name or e-mail address of a person, or the name of a token; a part is enough. */
  who?: string;
  /** Only sessions with a call that waits for a person. */
  waiting?: boolean;
  /** A part of the client's name or version, or the id of a session. */
  text?: string;
}

/** A session may have made any number of calls; a higher count helps nobody. */
const SESSION_CALLS_COUNTED = 500;

interface Row {
  id: string;
  profile: string;
  clientName: string;
  clientVersion: string;
  protocolVersion: string;
  spentUsd: Prisma.Decimal;
  createdAt: Date;
  lastSeenAt: Date;
  endedAt: Date | null;
  tokenId: string;
  tokenName: string;
  hint: string;
  revokedAt: Date | null;
  expiresAt: Date | null;
  userId: string;
  userName: string;
}

const COLUMNS = Prisma.sql`s.id, s.profile, s.client_name AS "clientName", s.client_version AS "clientVersion",
  s.protocol_version AS "protocolVersion", s.spent_usd AS "spentUsd", s.created_at AS "createdAt",
  s.last_seen_at AS "lastSeenAt", s.ended_at AS "endedAt", t.id AS "tokenId", t.name AS "tokenName", t.hint,
  t.revoked_at AS "revokedAt", t.expires_at AS "expiresAt", u.id AS "userId", u.name AS "userName"`;
const TABLES = Prisma.sql`client_sessions s JOIN api_tokens t ON t.id = s.token_id JOIN users u ON u.id = t.user_id`;

/** Those that were used last come first. */
export async function listSessions(
  db: Db,
  query: SessionFilter & { cursor?: SessionCursor; limit?: number },
): Promise<Page<SessionSummary>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.$queryRaw<Row[]>`
    ${PLAN_ANEW}SELECT ${COLUMNS} FROM ${TABLES} WHERE ${await sessionsWhere(db, query)}
    ORDER BY s.last_seen_at DESC, s.id LIMIT ${limit + 1}`;
  const counts = await countCalls(
    db,
    rows.slice(0, limit).map(({ id }) => id),
  );
  return toPage(rows, limit, { cursorOf: formatSessionCursor, map: (row) => toSummary(row, counts.get(row.id)) });
}

/** Null when there is no such session. */
export async function findSession(db: Db, sessionId: string): Promise<SessionSummary | null> {
  const [row] = await db.$queryRaw<Row[]>`SELECT ${COLUMNS} FROM ${TABLES} WHERE s.id = ${sessionId}`;
  return row ? toSummary(row, (await countCalls(db, [sessionId])).get(sessionId)) : null;
}

/** Where a page begins: after the last row of the page before it. */
export interface SessionCursor {
  lastSeenAt: Date;
  id: string;
}

const formatSessionCursor = ({ lastSeenAt, id }: Row): string => `${lastSeenAt.getTime()}.${id}`;

/** Undefined for a text that is not a cursor of ours. */
export function parseSessionCursor(text: string): SessionCursor | undefined {
  const [, time, id] = /^(\d{1,15})\.(ses_[0-9a-z]{26})$/.exec(text) ?? [];
  return time === undefined || id === undefined ? undefined : { lastSeenAt: new Date(Number(time)), id };
}

async function sessionsWhere(
  db: Db,
  { profile, who, waiting, text, cursor }: SessionFilter & { cursor?: SessionCursor },
): Promise<Prisma.Sql> {
  const parts = [Prisma.sql`TRUE`];
  if (profile) parts.push(Prisma.sql`s.profile = ${profile}`);
  if (who) parts.push(Prisma.sql`s.token_id = ANY (${await listNamedIds(db, who)})`);
  if (waiting)
    parts.push(Prisma.sql`s.id = ANY (ARRAY(SELECT DISTINCT session_id FROM runs WHERE ${IS_WAITING_IN_SESSION}))`);
  if (text)
    parts.push(
      Prisma.sql`(s.id = ${text} OR strpos(lower(s.client_name || ' ' || s.client_version), lower(${text})) > 0)`,
    );
  if (cursor)
    parts.push(
      Prisma.sql`(s.last_seen_at < ${cursor.lastSeenAt} OR (s.last_seen_at = ${cursor.lastSeenAt} AND s.id > ${cursor.id}))`,
    );
  return Prisma.join(parts, " AND ");
}

/** The text is that of the partial index runs_session_waiting. */
const IS_WAITING_IN_SESSION = Prisma.sql`session_id IS NOT NULL AND status IN ('pending_approval', 'needs_human_review')`;

interface Counted extends SessionCounts {
  costUsd: number;
}

const NOTHING: Counted = { total: 0, failed: 0, waiting: 0, costUsd: 0 };

/** Only of these sessions, and only the newest calls of each, so that a long session costs no more than a short one. */
async function countCalls(db: Db, sessionIds: string[]): Promise<ReadonlyMap<string, Counted>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db.$queryRaw<(Counted & { id: string })[]>`
    SELECT s.id, newest.total, newest.failed, newest."costUsd", waiting.waiting FROM unnest(${sessionIds}::text[]) AS s(id)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS total, count(*) FILTER (WHERE status = 'failed')::int AS failed,
        coalesce(sum(cost_usd), 0)::float8 AS "costUsd"
      FROM (
        SELECT status, cost_usd FROM runs WHERE session_id = s.id ORDER BY id DESC LIMIT ${SESSION_CALLS_COUNTED}
      ) AS counted
    ) AS newest
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM (
        SELECT FROM runs WHERE session_id = s.id AND ${IS_WAITING_IN_SESSION} LIMIT ${SESSION_CALLS_COUNTED}
      ) AS counted
    ) AS waiting`;
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

function toSummary(row: Row, { costUsd, ...calls }: Counted = NOTHING): SessionSummary {
  const { id, profile, protocolVersion, createdAt, lastSeenAt, endedAt } = row;
  return {
    id,
    profile,
    protocolVersion,
    createdAt,
    lastSeenAt,
    endedAt,
    calls,
    client: showClientName(row.clientName, row.clientVersion),
    token: {
      id: row.tokenId,
      name: row.tokenName,
      hint: row.hint,
      revokedAt: row.revokedAt,
      expiresAt: row.expiresAt,
    },
    person: { id: row.userId, name: row.userName },
    // The row adds up only where the profile has a budget, and then includes what calls under way may cost.
    costUsd: Math.max(toMoney(row.spentUsd), toMoney(costUsd)),
  };
}
