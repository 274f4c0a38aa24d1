import type { ApprovalStatus } from "@/lib/domain/approval-state";
import { PAGE_SIZE } from "@/lib/domain/limits";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";
import { approvalInclude, type ApprovalView, toApprovalViews } from "@/lib/store/queries/get-approval";
import { type Page, toPage } from "@/lib/store/queries/page";
import { listStepsNamed } from "@/lib/store/queries/step-names";

/** Approvals, newest first. */
export async function listApprovals(db: Db, query: { status?: readonly ApprovalStatus[]; runId?: string; cursor?: string; limit?: number }): Promise<Page<ApprovalView>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.approval.findMany({
    where: { status: query.status ? { in: [...query.status] } : undefined, runId: query.runId, id: query.cursor ? { lt: query.cursor } : undefined },
    include: approvalInclude,
    orderBy: { id: "desc" },
    take: limit + 1,
  });
  const page = toPage(rows, limit, (row) => row.id, (row) => row);
  return { ...page, items: await toApprovalViews(db, page.items) };
}

/** The question that a step waits for, the oldest of several; the last one that was asked when none waits. */
export async function getApprovalOfStep(db: Db, runId: string, stepKey: string): Promise<ApprovalView> {
  const of = { runId, stepId: { in: await listStepsNamed(db, runId, stepKey) } };
  const row =
    (await db.approval.findFirst({ where: { ...of, status: "pending" }, include: approvalInclude, orderBy: { id: "asc" } })) ??
    (await db.approval.findFirst({ where: of, include: approvalInclude, orderBy: { id: "desc" } }));
  const [found] = row ? await toApprovalViews(db, [row]) : [];
  if (!found) throw new KimitsuError("not_found", `No call of step ${stepKey} of run ${runId} was ever shown to people.`);
  return found;
}
