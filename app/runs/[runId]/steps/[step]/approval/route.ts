import { route } from "@/app/api-route";
import { toOneApproval } from "@/lib/approvals/approval-envelope";
import { engineDeps } from "@/lib/database/deps";
import { getStepApproval } from "@/lib/http/schemas/approvals";
import { getApprovalOfStep } from "@/lib/approvals/queries/list-approvals";

export const GET = route(getStepApproval, async ({ params: { runId, step } }) => ({
  data: await toOneApproval(engineDeps(), await getApprovalOfStep(engineDeps().db, runId, step)),
}));
