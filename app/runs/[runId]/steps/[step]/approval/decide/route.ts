import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { toVerdict } from "@/app/approvals/to-verdict";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { findDecidable } from "@/lib/approvals/find-decidable";
import { runtime } from "@/lib/runs/runtime";
import { decideStepApproval } from "@/lib/http/schemas/approvals";

export const POST = route(
  decideStepApproval,
  async ({ params: { runId, step }, body: { call_id: callId, decision, ...command }, principal }) => {
    const deps = runtime();
    const { id } = await findDecidable(deps.db, { runId, callId, stepKey: step });
    return {
      data: toDecided(
        await decideApproval(deps, deciderOf(principal), { ...command, approvalId: id, verdict: toVerdict(decision) }),
      ),
    };
  },
);
