import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { runtime } from "@/lib/runs/runtime";
import { takeUp } from "@/lib/approvals/set-aside";
import { takeApprovalUp } from "@/lib/http/schemas/approvals";

export const POST = route(takeApprovalUp, async ({ params: { approvalId }, principal }) => {
  await takeUp(runtime(), deciderOf(principal), approvalId);
  return { data: { approval_id: approvalId } };
});
