import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { CallStatus } from "@/lib/domain/call-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";

/** What happened in a run, as far as a page can show it: the first so many of each kind. */
export interface RunTimeline {
  turns: TimelineTurn[];
  calls: TimelineCall[];
  waits: TimelineWait[];
  /** True when there is more than is given here; the events have all of it. */
  isCut: boolean;
}

interface Placed {
  id: string;
  /** The step of the pipeline to which it belongs, however deep below it the thing happened. */
  rootStepId: string;
  stepId: string;
}

export interface TimelineTurn extends Placed {
  number: number;
  model: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  endedAt: Date;
}

export interface TimelineCall extends Placed {
  server: string;
  tool: string;
  summary: string;
  status: CallStatus;
  createdAt: Date;
  executingAt: Date | null;
  completedAt: Date | null;
}

/** A time in which a person was asked. */
export interface TimelineWait extends Placed {
  callId: string;
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

const SHOWN_MAX = 200;

export async function getRunTimeline(db: Db, runId: string): Promise<RunTimeline> {
  const page = { where: { runId }, orderBy: { id: "asc" }, take: SHOWN_MAX + 1 } as const;
  const [turns, calls, approvals] = await Promise.all([
    db.turn.findMany({ ...page, omit: { request: true, response: true } }),
    db.call.findMany({ ...page, select: { id: true, stepId: true, server: true, tool: true, summary: true, status: true, createdAt: true, executingAt: true, completedAt: true } }),
    db.approval.findMany({ ...page, include: { decisions: { orderBy: { id: "asc" }, select: { verdict: true, user: { select: { name: true } } } } } }),
  ]);
  const roots = await findRoots(db, [...new Set([...turns, ...calls, ...approvals].map(({ stepId }) => stepId))]);
  const placed = <Row extends { stepId: string }>(rows: Row[]) => rows.slice(0, SHOWN_MAX).map((row) => ({ ...row, rootStepId: roots.get(row.stepId) ?? row.stepId }));
  return {
    turns: placed(turns).map(({ createdAt, costUsd, ...turn }) => ({ ...turn, costUsd: Number(costUsd), endedAt: createdAt })),
    calls: placed(calls).map((call) => ({ ...call, summary: showInvisible(call.summary) })),
    waits: placed(approvals).map(({ id, callId, stepId, rootStepId, server, tool, summary, status, minApprovals, approvals: given, decisions, createdAt, decidedAt }) => ({
      id, callId, stepId, rootStepId, server, tool, status, minApprovals, approvals: given,
      summary: showInvisible(summary),
      decidedBy: decisions.map(({ verdict, user }) => ({ name: user.name, verdict })),
      from: createdAt,
      to: decidedAt,
    })),
    isCut: [turns, calls, approvals].some((rows) => rows.length > SHOWN_MAX),
  };
}

async function findRoots(db: Db, stepIds: string[]): Promise<Map<string, string>> {
  const rows = await db.$queryRaw<{ leaf: string; root: string }[]>`
    WITH RECURSIVE up AS (
      SELECT id AS leaf, id, parent_id FROM steps WHERE id = ANY (${stepIds})
      UNION ALL
      SELECT up.leaf, steps.id, steps.parent_id FROM up JOIN steps ON steps.id = up.parent_id
    )
    SELECT leaf, id AS root FROM up WHERE parent_id IS NULL`;
  return new Map(rows.map(({ leaf, root }) => [leaf, root]));
}
