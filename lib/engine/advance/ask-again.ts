/** A grant that no longer fits what would run: the call is judged anew, and people are asked again unless it is now refused. */
import { canonicalizeArguments, digestArguments } from "@/lib/domain/digest";
import { DEFAULT_APPROVAL_RULE } from "@/lib/domain/policy/approval-rule";
import { explainOverspend } from "@/lib/domain/policy/judge-budget";
import { redact } from "@/lib/domain/redaction";
import { summarizeCall, titleOf } from "@/lib/domain/summarize-call";
import { fingerprintTool, type ToolDefinition } from "@/lib/domain/tool-fingerprint";
import { type AgentAtWork, type AgentTools, listAgentTools } from "@/lib/engine/advance/agent-tools";
import { parseArguments } from "@/lib/engine/advance/find-lapse";
import { judgeCall, type JudgedCall } from "@/lib/engine/advance/judge-call";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held } from "@/lib/engine/advance/run-memory";
import { toApproval } from "@/lib/engine/advance/to-approval";
import type { CallRow } from "@/lib/store/queries/load-run";
import { askAgainRow } from "@/lib/store/transitions/ask-again";
import { checkAgainstSchema } from "@/lib/tools/schema-check";
import { matchSecrets } from "@/lib/tools/tool-server";

const WHY = {
  definition_changed: "the tool's definition changed after it was judged",
  arguments_changed: "the arguments on record are not the ones that were judged",
  not_approved: "the approval no longer stands: an approver was shut out or lost the right to decide",
  budget: "the budget does not cover it any more",
  stricter_rule: "the rules do not let it through as it was granted",
} as const;

type LapseReason = keyof typeof WHY;

/** The figures are those of the statement that refused the call: the worker's memory may be behind it by what began at the same instant. */
export type Lapse = { why: Exclude<LapseReason, "budget"> } | { why: "budget"; usedUsd: number; limitUsd: number };

export async function askAgain(context: RunContext, work: AgentAtWork, known: AgentTools, call: CallRow, lapse: Lapse): Promise<void> {
  const { why } = lapse;
  const { deps, memory, writes } = context;
  const tools = why === "definition_changed" ? await listAgentTools(context, work) : known;
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const args = parseArguments(call.argumentsCanonical);
  const judged = judgeCall(context, work, tools, { server: call.server, tool: call.tool, arguments: args ?? {} });
  const error = refusalOf(judged, { definition, isReachable: server?.reachable !== false, args, overspend: lapse.why === "budget" ? explainOverspend({ ...lapse, estimatedUsd: call.costUsd }) : null });
  const shown = show(context, tools, call, definition, args ?? {});
  const rule = judged.decision === "ask" ? judged.rule : { ...DEFAULT_APPROVAL_RULE, reason: WHY[why] };
  const question = { callId: call.id, stepId: call.stepId, workflow: context.workflow.name, agent: work.agent.name, server: call.server, tool: call.tool, danger: judged.danger.level, summary: shown.summary, digest: shown.digest };
  const approval = error ? null : toApproval(question, rule, deps.now());
  const trace = [{ layer: "internal", outcome: error ? "deny" : "ask", reason: `${error ? "Refused" : "Asked again"}: ${WHY[why]}` }, ...judged.trace];
  const fingerprint = definition ? fingerprintTool(definition) : null;
  held(await writes.now((db) => askAgainRow(db, memory.lease, { callId: call.id, why, trace, danger: judged.danger.level, definitionFingerprint: fingerprint, ...shown, approval, error }, deps.now())));
  memory.setCall(call.id, {
    status: error ? "denied" : "pending_approval",
    error,
    digest: shown.digest,
    argumentsCanonical: shown.argumentsCanonical,
    definitionFingerprint: fingerprint,
    approval: approval ? { id: approval.id, status: "pending", rule, reason: null, edited: false } : call.approval,
  });
}

/** Null when people can be asked. */
function refusalOf(judged: JudgedCall, { definition, isReachable, args, overspend }: { definition: ToolDefinition | undefined; isReachable: boolean; args: Record<string, unknown> | null; overspend: string | null }): { code: string; message: string } | null {
  if (args === null) return { code: "malformed_arguments", message: "The arguments on record are no JSON object, so the call was not made." };
  if (judged.decision === "deny") return { code: judged.code, message: judged.reason };
  if (overspend !== null) return { code: "budget_exceeded", message: overspend };
  if (!isReachable) return { code: "server_unreachable", message: "The server cannot be reached now, so nobody could say what would be called. The call was not made." };
  if (!definition) return { code: "tool_unknown", message: "The server does not list this tool any more." };
  const fit = checkAgainstSchema(definition.inputSchema, args);
  return fit.kind === "misfit" ? { code: "invalid_arguments", message: `The arguments do not fit the tool's schema: ${fit.problems.join("; ")}` } : null;
}

/** What the new card shows is made from what would be sent, never taken from the old card. */
function show(context: RunContext, tools: AgentTools, call: CallRow, definition: ToolDefinition | undefined, args: Record<string, unknown>) {
  const server = tools.servers.get(call.server);
  const options = { fingerprint: context.deps.fingerprint, ...(server ? { matcher: matchSecrets(server.tools) } : {}), ...(definition ? { schema: definition.inputSchema } : {}) };
  const shown = redact(args, options) as Record<string, unknown>;
  const facts = server?.entry.server.definition.tools?.[call.tool];
  return { arguments: shown, argumentsCanonical: canonicalizeArguments(args), digest: digestArguments(args), summary: summarizeCall({ name: call.tool, title: titleOf(definition, facts) }, facts?.summary, shown) };
}
