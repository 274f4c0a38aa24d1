import type { ApprovalStatus } from "@/lib/domain/approval-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import { type Page, toPage } from "@/lib/store/queries/page";
import { nameSteps } from "@/lib/store/queries/step-names";

export interface RunApproval {
  id: string;
  stepId: string;
  stepKey: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  status: ApprovalStatus;
  approvers: string[];
  minApprovals: number;
  approvals: number;
  requestedAt: Date;
  decidedAt: Date | null;
  expiresAt: Date | null;
  decisions: { name: string; viaToken: string | null; verdict: "approved" | "rejected"; reason: string | null; comment: string | null; edited: boolean; at: Date }[];
}

const PAGE = 50;

/** The questions that a run put to people, oldest first, with who said what and when. */
export async function listRunApprovals(db: Db, runId: string, cursor?: string): Promise<Page<RunApproval>> {
  const rows = await db.approval.findMany({
    where: { runId, id: cursor ? { gt: cursor } : undefined },
    orderBy: { id: "asc" },
    take: PAGE + 1,
    include: {
      call: { select: { id: true, parentCallId: true, step: { select: { key: true } } } },
      decisions: { orderBy: { id: "asc" }, include: { user: { select: { name: true } }, token: { select: { name: true } } } },
    },
  });
  const nameOf = await nameSteps(db, rows.map(({ call }) => call));
  return toPage(rows, PAGE, (row) => row.id, ({ call, decisions, createdAt, summary, ...row }) => ({
    ...row,
    summary: showInvisible(summary),
    stepKey: nameOf(call),
    requestedAt: createdAt,
    decisions: decisions.map(({ user, token, verdict, reason, comment, argumentsCanonical, createdAt: at }) => ({ name: user.name, viaToken: token?.name ?? null, verdict, reason, comment, edited: argumentsCanonical !== null, at })),
  }));
}
