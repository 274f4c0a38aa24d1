/** A grant that no longer fits what would run: the call is judged anew, and people are asked again unless it is now refused. */
import { DEFAULT_APPROVAL_RULE } from "@/lib/domain/policy/approval-rule";
import { fingerprintTool } from "@/lib/domain/tool-fingerprint";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import { listAgentTools } from "@/lib/engine/advance/agent-tools";
import { judgeCall } from "@/lib/engine/advance/judge-call";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held } from "@/lib/engine/advance/run-memory";
import { toApproval } from "@/lib/engine/advance/to-approval";
import type { CallRow } from "@/lib/store/queries/load-run";
import { askAgainRow } from "@/lib/store/transitions/ask-again";

const WHY: Record<string, string> = {
  definition_changed: "the tool's definition changed after it was judged",
  not_approved: "the approval no longer stands: an approver was shut out or lost the right to decide",
  budget: "the budget does not cover it any more",
  stricter_rule: "the project's rules are stricter now",
};

export async function askAgain(context: RunContext, work: AgentAtWork, known: AgentTools, call: CallRow, why: string): Promise<void> {
  const { deps, memory } = context;
  const tools = why === "definition_changed" ? await listAgentTools(context, work) : known;
  const wanted = { server: call.server, tool: call.tool, arguments: JSON.parse(call.argumentsCanonical) as Record<string, unknown> };
  const judged = judgeCall(context, work, tools, wanted);
  const definition = tools.servers.get(call.server)?.definitions.get(call.tool);
  const reason = WHY[why] ?? why;
  const refused = judged.decision === "deny" || why === "budget" || !definition;
  const rule = judged.decision === "ask" ? judged.rule : { ...DEFAULT_APPROVAL_RULE, reason };
  const question = {
    callId: call.id,
    stepId: call.stepId,
    workflow: context.workflow.name,
    agent: work.agent.name,
    server: call.server,
    tool: call.tool,
    danger: judged.danger.level,
    summary: "",
    digest: call.digest,
  };
  const approval = refused ? null : toApproval(question, rule, deps.now());
  const error = refused ? { code: why === "budget" ? "budget_exceeded" : "denied", message: judged.decision === "deny" ? judged.reason : reason } : null;
  const trace = [{ layer: "pin", outcome: refused ? "deny" : "ask", reason: `Asked again: ${reason}.` }, ...judged.trace];
  held(await askAgainRow(deps.db, memory.lease, { callId: call.id, why, trace, danger: judged.danger.level, definitionFingerprint: definition ? fingerprintTool(definition) : null, approval, error }, deps.now()));
  memory.setCall(call.id, {
    status: refused ? "denied" : "pending_approval",
    error,
    definitionFingerprint: definition ? fingerprintTool(definition) : null,
    approval: approval ? { id: approval.id, status: "pending", rule, reason: null, edited: false } : call.approval,
  });
}
