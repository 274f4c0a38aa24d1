import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/engine/approval-envelope";
import { decideApproval } from "@/lib/engine/decide-approval";
import { findDecidable } from "@/lib/engine/find-decidable";
import { runtime } from "@/lib/engine/runtime";
import { approveRun } from "@/lib/http/schemas/approvals";

export const POST = route(approveRun, async ({ params: { runId }, body: { call_id: callId, ...wish }, principal }) => {
  const deps = runtime();
  const { id } = await findDecidable(deps.db, { runId, callId });
  return { data: toDecided(await decideApproval(deps, deciderOf(principal), { ...wish, approvalId: id, verdict: "approved" })) };
});
