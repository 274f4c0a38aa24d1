import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { toVerdict } from "@/app/approvals/to-verdict";
import { decideApproval as decide } from "@/lib/approvals/decide-approval";
import { runtime } from "@/lib/runs/runtime";
import { decideApproval } from "@/lib/http/schemas/approvals";

export const POST = route(
  decideApproval,
  async ({ params: { approvalId }, body: { decision, ...command }, principal }) => ({
    data: toDecided(
      await decide(runtime(), deciderOf(principal), { ...command, approvalId, verdict: toVerdict(decision) }),
    ),
  }),
);
