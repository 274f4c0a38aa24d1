import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { findDecidable } from "@/lib/approvals/find-decidable";
import { runtime } from "@/lib/runs/runtime";
import { rejectRun } from "@/lib/http/schemas/approvals";

export const POST = route(
  rejectRun,
  async ({ params: { runId }, body: { call_id: callId, ...command }, principal }) => {
    const deps = runtime();
    const { id } = await findDecidable(deps.db, { runId, callId });
    return {
      data: toDecided(
        await decideApproval(deps, deciderOf(principal), { ...command, approvalId: id, verdict: "rejected" }),
      ),
    };
  },
);
