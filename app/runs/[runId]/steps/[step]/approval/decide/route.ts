import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { toVerdict } from "@/app/approvals/to-verdict";
import { decideInRun } from "@/lib/approvals/decide-in-run";
import { runtime } from "@/lib/runs/runtime";
import { decideStepApproval } from "@/lib/http/schemas/approvals";

export const POST = route(
  decideStepApproval,
  async ({ params: { runId, step }, body: { call_id: callId, decision, ...command }, principal }) => {
    const target = { runId, callId, stepKey: step };
    const verdict = toVerdict(decision);
    const decided = await decideInRun(runtime(), deciderOf(principal), { ...command, target, verdict });
    return { data: toDecided(decided) };
  },
);
