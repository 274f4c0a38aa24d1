import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/engine/approval-envelope";
import { toVerdict } from "@/app/approvals/to-verdict";
import { decideApproval as decide } from "@/lib/engine/decide-approval";
import { runtime } from "@/lib/engine/runtime";
import { decideApproval } from "@/lib/http/schemas/approvals";

export const POST = route(decideApproval, async ({ params: { approvalId }, body: { decision, ...wish }, principal }) => ({
  data: toDecided(await decide(runtime(), deciderOf(principal), { ...wish, approvalId, verdict: toVerdict(decision) })),
}));
