import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { extendApproval as extend } from "@/lib/approvals/extend-approval";
import { runtime } from "@/lib/runs/runtime";
import { extendApproval } from "@/lib/http/schemas/approvals";

export const POST = route(extendApproval, async ({ params: { approvalId }, body, principal }) => {
  const { expiresAt } = await extend(runtime(), deciderOf(principal), { approvalId, byMs: body.minutes * 60_000 });
  return { data: { approval_id: approvalId, expires_at: expiresAt.toISOString() } };
});
