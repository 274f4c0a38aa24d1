import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { runtime } from "@/lib/runs/runtime";
import { setAside } from "@/lib/approvals/set-aside";
import { setApprovalAside } from "@/lib/http/schemas/approvals";

export const POST = route(setApprovalAside, async ({ params: { approvalId }, body, principal }) => {
  const { until } = await setAside(runtime(), deciderOf(principal), { approvalId, ...body });
  return { data: { approval_id: approvalId, until: until?.toISOString() ?? null } };
});
