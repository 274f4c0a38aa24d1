import { route } from "@/app/api-route";
import { toOneApproval } from "@/lib/approvals/approval-envelope";
import { engineDeps } from "@/lib/database/deps";
import { getApproval } from "@/lib/http/schemas/approvals";
import { getApproval as readApproval } from "@/lib/approvals/queries/get-approval";

export const GET = route(getApproval, async ({ params }) => ({
  data: await toOneApproval(engineDeps(), await readApproval(engineDeps().db, params.approvalId)),
}));
