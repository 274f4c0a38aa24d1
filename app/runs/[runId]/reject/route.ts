import { deciderOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { decideInRun } from "@/lib/approvals/decide-in-run";
import { runtime } from "@/lib/runs/runtime";
import { rejectRun } from "@/lib/http/schemas/approvals";

export const POST = route(
  rejectRun,
  async ({ params: { runId }, body: { call_id: callId, ...command }, principal }) => {
    const target = { runId, callId };
    const decided = await decideInRun(runtime(), deciderOf(principal), { ...command, target, verdict: "rejected" });
    return { data: toDecided(decided) };
  },
);
