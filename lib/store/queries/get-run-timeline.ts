import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { CallStatus } from "@/lib/domain/call-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
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
  decidedBy: { name: string; verdict: "approved" | "rejected" }[];
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
    db.approval.findMany({ ...of("wait"), include: { decisions: { orderBy: { id: "asc" }, select: { verdict: true, user: { select: { name: true } } } } } }),
  ]);
  const things = new Map<string, TimelineThing>();
  for (const { createdAt, costUsd, ...turn } of turns) things.set(turn.id, { kind: "turn", turn: { ...turn, costUsd: Number(costUsd), endedAt: createdAt } });
  for (const call of calls) things.set(call.id, { kind: "call", call: { ...call, summary: showInvisible(call.summary) } });
  for (const approval of approvals) things.set(approval.id, { kind: "wait", wait: toWait(approval) });
  return {
    entries: marks.flatMap(({ id, root, number, at }) => {
      const thing = things.get(id);
      return thing ? [{ thing, rootStepId: root, number, at }] : [];
    }),
    totals: new Map(marks.map(({ root, total }) => [root, total])),
  };
}

type ApprovalRow = Prisma.ApprovalGetPayload<{ include: { decisions: { select: { verdict: true; user: { select: { name: true } } } } } }>;

function toWait({ id, server, tool, summary, status, minApprovals, approvals, decisions, createdAt, decidedAt }: ApprovalRow): TimelineWait {
  return { id, server, tool, status, minApprovals, approvals, summary: showInvisible(summary), decidedBy: decisions.map(({ verdict, user }) => ({ name: user.name, verdict })), from: createdAt, to: decidedAt };
}

/** What stands on the timeline and where. A call that people are asked about is the block that waits for them; one that they decided stands where it was sent. */
async function listMarks(db: Db, runId: string): Promise<Mark[]> {
  return db.$queryRaw<Mark[]>`
    WITH RECURSIVE ${stepTree(runId)}, entries AS (
      SELECT 'turn' AS kind, t.id, tree.root, t.created_at AS at, 0 AS place FROM turns t JOIN tree ON tree.id = t.step_id WHERE t.run_id = ${runId}
      UNION ALL
      SELECT 'wait', a.id, tree.root, a.created_at, 1 FROM approvals a JOIN tree ON tree.id = a.step_id WHERE a.run_id = ${runId}
      UNION ALL
      SELECT 'call', c.id, tree.root, coalesce(c.executing_at, c.completed_at, c.created_at), 2
      FROM calls c JOIN tree ON tree.id = c.step_id WHERE c.run_id = ${runId} AND c.status <> 'pending_approval'
    ), numbered AS (
      SELECT kind, id, root, at, (row_number() OVER (PARTITION BY root ORDER BY at, place, id))::int AS number, (count(*) OVER (PARTITION BY root))::int AS total FROM entries
    )
    SELECT * FROM numbered WHERE number <= ${FIRST_SHOWN} OR number > total - ${LAST_SHOWN} ORDER BY root, number`;
}
