import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { CallStatus } from "@/lib/domain/call-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { listUnknownSince } from "@/lib/store/queries/list-unknown-since";
import { stepTree } from "@/lib/store/queries/step-tree-sql";

/** What happened in a run: of each step of its pipeline the first and the last things, and how many there are. */
export interface RunTimeline {
  /** In the order of happening. */
  entries: TimelineEntryRow[];
  /** By step of the pipeline. */
  totals: Map<string, number>;
}

export type TimelineThing = { kind: "turn"; turn: TimelineTurn } | { kind: "call"; call: TimelineCall } | { kind: "wait"; wait: TimelineWait };

export interface TimelineEntryRow {
  thing: TimelineThing;
  /** The step of the pipeline to which it belongs, however deep below it the thing happened. */
  rootStepId: string;
  /** Among all things of that step, from 1. */
  number: number;
  at: Date;
}

export interface TimelineTurn {
  id: string;
  number: number;
  model: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  endedAt: Date;
}

export interface TimelineCall {
  id: string;
  server: string;
  tool: string;
  summary: string;
  status: CallStatus;
  createdAt: Date;
  executingAt: Date | null;
  /** From when nobody knew what became of it, until a person settled it. */
  unknownAt: Date | null;
  completedAt: Date | null;
}

/** A time in which a person was asked. */
export interface TimelineWait {
  id: string;
  server: string;
  tool: string;
  summary: string;
  status: ApprovalStatus;
  minApprovals: number;
  approvals: number;
  decidedBy: { name: string; verdict: "approved" | "rejected"; reason: string | null }[];
  from: Date;
  to: Date | null;
}

/** Of a step with more than both together, this many of the first and of the last are shown: how it began, and how it stands. */
const FIRST_SHOWN = 8;
const LAST_SHOWN = 16;

interface Mark {
  kind: "turn" | "call" | "wait";
  id: string;
  root: string;
  number: number;
  total: number;
  at: Date;
}

export async function getRunTimeline(db: Db, runId: string): Promise<RunTimeline> {
  const marks = await listMarks(db, runId);
  const of = (kind: Mark["kind"]) => ({ where: { id: { in: marks.filter((mark) => mark.kind === kind).map(({ id }) => id) } } });
  const [turns, calls, approvals] = await Promise.all([
    db.turn.findMany({ ...of("turn"), omit: { request: true, response: true } }),
    db.call.findMany({ ...of("call"), select: { id: true, server: true, tool: true, summary: true, status: true, createdAt: true, executingAt: true, completedAt: true } }),
    db.approval.findMany({ ...of("wait"), include: { decisions: { orderBy: { id: "asc" }, select: { verdict: true, reason: true, user: { select: { name: true } } } } } }),
  ]);
  const unknown = await listUnknownSince(db, runId, calls);
  const things = new Map<string, TimelineThing>();
  for (const { createdAt, costUsd, ...turn } of turns) things.set(turn.id, { kind: "turn", turn: { ...turn, costUsd: Number(costUsd), endedAt: createdAt } });
  for (const call of calls) things.set(call.id, { kind: "call", call: { ...call, unknownAt: unknown.get(call.id) ?? null, summary: showInvisible(call.summary) } });
  for (const approval of approvals) things.set(approval.id, { kind: "wait", wait: toWait(approval) });
  return {
    entries: marks.flatMap(({ id, root, number, at }) => {
      const thing = things.get(id);
      return thing ? [{ thing, rootStepId: root, number, at }] : [];
    }),
    totals: new Map(marks.map(({ root, total }) => [root, total])),
  };
}

type ApprovalRow = Prisma.ApprovalGetPayload<{ include: { decisions: { select: { verdict: true; reason: true; user: { select: { name: true } } } } } }>;

function toWait({ id, server, tool, summary, status, minApprovals, approvals, decisions, createdAt, decidedAt }: ApprovalRow): TimelineWait {
  return { id, server, tool, status, minApprovals, approvals, summary: showInvisible(summary), decidedBy: decisions.map(({ verdict, reason, user }) => ({ name: user.name, verdict, reason: reason === null ? null : showInvisible(reason) })), from: createdAt, to: decidedAt };
}

/**
 * What stands on the timeline and where. Only the ends are put in order: of a long run that is much less work than all of it.
 * A call that people are asked about is the block that waits for them; one that they decided stands where it was sent.
 */
async function listMarks(db: Db, runId: string): Promise<Mark[]> {
  const marks = await db.$queryRaw<Mark[]>`
    WITH RECURSIVE ${stepTree(runId)}, entries AS MATERIALIZED (
      SELECT 'turn' AS kind, ends.id, tree.root, ends.at, 0 AS place FROM tree CROSS JOIN LATERAL (
        (SELECT id, created_at AS at FROM turns WHERE step_id = tree.id ORDER BY number LIMIT ${FIRST_SHOWN + LAST_SHOWN})
        UNION (SELECT id, created_at FROM turns WHERE step_id = tree.id ORDER BY number DESC LIMIT ${LAST_SHOWN})
      ) AS ends
      UNION ALL
      SELECT 'wait', a.id, tree.root, a.created_at, 1 FROM approvals a JOIN tree ON tree.id = a.step_id WHERE a.run_id = ${runId}
      UNION ALL
      SELECT 'call', ends.id, tree.root, ends.at, 2 FROM tree CROSS JOIN LATERAL (
        (SELECT id, coalesce(executing_at, completed_at, created_at) AS at FROM calls WHERE step_id = tree.id AND status <> 'pending_approval' ORDER BY id LIMIT ${FIRST_SHOWN + LAST_SHOWN})
        UNION (SELECT id, coalesce(executing_at, completed_at, created_at) FROM calls WHERE step_id = tree.id AND status <> 'pending_approval' ORDER BY id DESC LIMIT ${LAST_SHOWN})
      ) AS ends
    ), totals AS (
      SELECT root, sum(number)::int AS total FROM (
        SELECT step_id, count(*) AS number FROM turns WHERE run_id = ${runId} GROUP BY step_id
        UNION ALL SELECT step_id, count(*) FROM approvals WHERE run_id = ${runId} GROUP BY step_id
        UNION ALL SELECT step_id, count(*) FROM calls WHERE run_id = ${runId} AND status <> 'pending_approval' GROUP BY step_id
      ) AS counted JOIN tree ON tree.id = counted.step_id GROUP BY root
    )
    SELECT DISTINCT ON (totals.root, number) ends.kind, ends.id, totals.root, ends.at, ends.number, totals.total
    FROM totals CROSS JOIN LATERAL (
      SELECT *, (row_number() OVER (ORDER BY at, place, id))::int AS number FROM (SELECT * FROM entries WHERE entries.root = totals.root ORDER BY at, place, id LIMIT ${FIRST_SHOWN + LAST_SHOWN}) AS first
      UNION ALL
      SELECT *, totals.total + 1 - (row_number() OVER (ORDER BY at DESC, place DESC, id DESC))::int FROM (SELECT * FROM entries WHERE entries.root = totals.root ORDER BY at DESC, place DESC, id DESC LIMIT ${LAST_SHOWN}) AS last
    ) AS ends ORDER BY totals.root, number`;
  return marks.filter(({ number, total }) => number <= FIRST_SHOWN || number > total - LAST_SHOWN);
}
