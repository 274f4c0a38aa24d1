import { getVerdicts } from "@/lib/insights/queries/get-verdicts";
import { listModelCosts, listWorkflowCosts } from "@/lib/insights/queries/list-costs";
import { listExpiries } from "@/lib/insights/queries/list-expiries";
import { listQuickApprovals } from "@/lib/insights/queries/list-quick-approvals";
import { listReviewerVerdicts } from "@/lib/insights/queries/list-reviewer-verdicts";
import { listToolVerdicts } from "@/lib/insights/queries/list-tool-verdicts";
import { listUnrejectedRules } from "@/lib/insights/queries/list-unrejected-rules";
import type { Period } from "./period";

export type Insights = Awaited<ReturnType<typeof loadInsights>>;
type Db = Parameters<typeof getVerdicts>[0];

/** All in parallel: the page is as fast as the slowest of them. */
export async function loadInsights(db: Db, { from, to, parts }: Period, limit: number) {
  const span = { from, to, limit };
  const [verdicts, tools, reviewers, expiries, rules, quick, workflows, models] = await Promise.all([
    getVerdicts(db, { from, to, starts: parts.map((part) => part.from) }),
    listToolVerdicts(db, span),
    listReviewerVerdicts(db, span),
    listExpiries(db, span),
    listUnrejectedRules(db, span),
    listQuickApprovals(db, span),
    listWorkflowCosts(db, span),
    listModelCosts(db, span),
  ]);
  return { verdicts, tools, reviewers, expiries, rules, quick, workflows, models };
}
