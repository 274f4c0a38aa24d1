import { PAGE_SIZE } from "@/lib/limits";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { isClientWorkflow, profileOfWorkflow } from "@/lib/config/profile-parts";
import { showClientName } from "@/lib/proxy/queries/client-name";
import { findClients, type RunClient } from "@/lib/proxy/queries/find-client";
import { countFolded, findFoldedPage, type FoldedCounts, isOneOf } from "@/lib/runs/queries/find-folded-page";
import { listAbouts } from "@/lib/runs/queries/list-abouts";
import { type ClientCall, listClientCalls } from "@/lib/runs/queries/list-client-calls";
import { openBehind } from "@/lib/runs/queries/open-behind";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import { stepsInOrder } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { type Page, toPage } from "@/lib/database/page";
import { type RunFilter, runsWhere } from "@/lib/runs/queries/run-filter";
import { findStarters } from "@/lib/runs/queries/starter-people";
import { sumPersonWaits } from "@/lib/runs/queries/sum-person-waits";
import { showInvisible } from "@/lib/text/tool-text";

export interface HistoryRun {
  id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  /** Whether a step of it, at any depth, concluded without what it asked for. */
  degraded: boolean;
  refused: { rejected: number; expired: number };
  /** With the person behind a token or an agent. */
  startedBy: { kind: string; name: string; person: string | null };
  /** In one line; empty when it was started without params. */
  about: string;
  steps: { key: string; status: StepStatus }[];
  stepsTotal: number;
  /** Time in which people were asked and had not answered yet; overlapping approvals count once. */
  waitedMs: number;
  /** Time that workers spent on it, as of the last release. */
  workedMs: number;
  costUsd: number;
  error: string | null;
  createdAt: Date;
  completedAt: Date | null;
  /** For a call of an MCP client. */
  client: HistoryClient | null;
}

export interface HistoryClient {
  /** Null when it is no longer on record. */
  sessionId: string | null;
  /** As the client calls itself. */
  name: string;
  profile: string;
  /** `server.tool`. */
  tool: string;
  /** Set in a folded list, where the row stands for all calls of the session that match. */
  folded: FoldedCounts | null;
}

interface Row {
  id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  startedByKind: string;
  startedByName: string;
  startedByUserId: string | null;
  active_ms: number;
  cost_usd: Prisma.Decimal;
  error: { message?: string } | null;
  created_at: Date;
  completed_at: Date | null;
  sessionId: string | null;
  toolCalled: string | null;
  calledBy: string | null;
}

/** Strips show this many steps; for a longer pipeline its number of steps is shown. */
const STEPS_SHOWN = 16;

/** Runs, newest first; with `isFolded` one row stands for all calls of a session of an MCP client. */
export async function listHistory(
  db: Db,
  query: RunFilter & { now: Date; cursor?: string; limit?: number; isFolded?: boolean },
): Promise<Page<HistoryRun>> {
  const limit = query.limit ?? PAGE_SIZE;
  const wanted = { cursor: query.cursor, limit: limit + 1 };
  const isFolded = query.isFolded === true && query.session === undefined;
  const where = isFolded ? isOneOf(await findFoldedPage(db, query, wanted)) : await runsWhere(db, query, wanted);
  const rows = await db.$queryRaw<Row[]>`
    ${PLAN_ANEW}SELECT id, workflow, version, status::text AS status, started_by_kind::text AS "startedByKind", started_by_name AS "startedByName", started_by_user_id AS "startedByUserId", active_ms, cost_usd, error, created_at, completed_at,
      session_id AS "sessionId", CASE WHEN starts_with(workflow, 'mcp:') THEN left(params ->> 'tool', 300) END AS "toolCalled", CASE WHEN starts_with(workflow, 'mcp:') THEN left(params ->> 'client', 300) END AS "calledBy"
    FROM runs WHERE ${where} ORDER BY id DESC LIMIT ${limit + 1}`;
  const ids = rows.map((row) => row.id);
  const behind = await openBehind(db, ids);
  const ofClients = rows.filter(({ workflow }) => isClientWorkflow(workflow));
  const sessions = rows.flatMap(({ sessionId }) => sessionId ?? []);
  const [strips, losses, waits, personBehind, abouts, calls, folded] = await Promise.all([
    listStrips(db, ids, behind),
    listLosses(db, ids, behind),
    sumPersonWaits(db, ids, query.now),
    findStarters(db, rows),
    listAbouts(db, rows, behind),
    listClientCalls(db, idsOf(ofClients), behind),
    isFolded ? countFolded(db, query, sessions) : null,
  ]);
  const clients = await findClients(db, idsOf(ofClients));
  return toPage(rows, limit, {
    cursorOf: (row) => row.id,
    map: (row) =>
      toHistoryRun(row, {
        strip: strips.get(row.id),
        loss: losses.get(row.id),
        waitedMs: waits.get(row.id) ?? 0,
        person: personBehind(row),
        about: (calls.get(row.id)?.summary || abouts.get(row.id)) ?? "",
        client: toClient(row, { known: clients.get(row.id), call: calls.get(row.id), folded }),
      }),
  });
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

interface OfClient {
  known: RunClient | undefined;
  call: ClientCall | undefined;
  folded: ReadonlyMap<string, FoldedCounts> | null;
}

function toClient(row: Row, { known, call, folded }: OfClient): HistoryClient | null {
  const profile = profileOfWorkflow(row.workflow);
  if (profile === null) return null;
  return {
    sessionId: row.sessionId,
    profile,
    name: known?.name ?? showClientName(row.calledBy ?? ""),
    tool: call ? `${call.server}.${call.tool}` : showInvisible(row.toolCalled ?? ""),
    folded: (row.sessionId === null ? undefined : folded?.get(row.sessionId)) ?? null,
  };
}

interface Strip {
  steps: { key: string; status: StepStatus }[];
  total: number;
}

/** Runs that are not fully projected, from their fold, so that this list is not behind. */
type Snapshots = ReadonlyMap<string, RunSnapshot>;

async function listStrips(db: Db, runIds: string[], behind: Snapshots): Promise<Map<string, Strip>> {
  const rows = await db.$queryRaw<{ run_id: string; key: string; status: StepStatus; total: bigint; place: bigint }[]>`
    SELECT * FROM (
      SELECT run_id, key, status::text AS status, count(*) OVER (PARTITION BY run_id) AS total, row_number() OVER (PARTITION BY run_id ORDER BY id) AS place
      FROM steps WHERE run_id = ANY (${runIds}) AND parent_id IS NULL
    ) AS placed WHERE place <= ${STEPS_SHOWN} ORDER BY run_id, place`;
  const strips = new Map<string, Strip>();
  for (const { run_id: runId, key, status, total } of rows) {
    const strip = strips.get(runId) ?? { steps: [], total: Number(total) };
    strip.steps.push({ key, status });
    strips.set(runId, strip);
  }
  for (const [id, snapshot] of behind) {
    const steps = stepsInOrder(snapshot).filter(({ parentId }) => parentId === null);
    strips.set(id, {
      steps: steps.slice(0, STEPS_SHOWN).map(({ key, status }) => ({ key, status })),
      total: steps.length,
    });
  }
  return strips;
}

interface Loss {
  degraded: boolean;
  rejected: number;
  expired: number;
}

/** What a run could not do. */
async function listLosses(db: Db, runIds: string[], behind: Snapshots): Promise<Map<string, Loss>> {
  const rows = await db.$queryRaw<(Loss & { id: string })[]>`
    SELECT r.id, EXISTS (SELECT FROM steps s WHERE s.run_id = r.id AND s.degraded) AS degraded, refused.rejected, refused.expired
    FROM runs r CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE c.status = 'rejected')::int AS rejected, count(*) FILTER (WHERE c.status = 'expired')::int AS expired FROM calls c WHERE c.run_id = r.id
    ) AS refused WHERE r.id = ANY (${runIds})`;
  const folded = [...behind].map(([id, { steps, calls }]) => {
    const count = (status: CallStatus) => [...calls.values()].filter((call) => call.status === status).length;
    const degraded = [...steps.values()].some((step) => step.degraded);
    return { id, degraded, rejected: count("rejected"), expired: count("expired") };
  });
  return new Map([...rows, ...folded].map((row) => [row.id, row]));
}

interface Found {
  strip: Strip | undefined;
  loss: Loss | undefined;
  waitedMs: number;
  person: string | null;
  about: string;
  client: HistoryClient | null;
}

function toHistoryRun(row: Row, { strip, loss, waitedMs, person, about, client }: Found): HistoryRun {
  return {
    id: row.id,
    workflow: row.workflow,
    version: row.version,
    status: row.status,
    degraded: loss?.degraded ?? false,
    refused: { rejected: loss?.rejected ?? 0, expired: loss?.expired ?? 0 },
    startedBy: { kind: row.startedByKind, name: row.startedByName, person },
    about,
    steps: strip?.steps ?? [],
    stepsTotal: strip?.total ?? 0,
    waitedMs,
    workedMs: row.active_ms,
    costUsd: Number(row.cost_usd),
    error: row.error?.message ?? null,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    client,
  };
}
