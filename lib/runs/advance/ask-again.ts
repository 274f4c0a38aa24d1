/**
 * A grant that no longer fits what would run: the call is judged again, and people are asked again unless it is now
 * refused.
 */
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import { factsOf } from "@/lib/policy/judge-by-project";
import { explainOverspend } from "@/lib/policy/judge-budget";
import { redact } from "@/lib/text/redaction";
import { summarizeCall, titleOf } from "@/lib/approvals/rules/summarize-call";
import { fingerprintTool, type ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { type AgentTools, type AgentWithTools, listAgentTools } from "@/lib/runs/advance/agent-tools";
import { parseArguments } from "@/lib/runs/advance/find-lapse";
import { judgeCall, type JudgedCall, type WantedCall } from "@/lib/runs/advance/judge-call";
import { responseOf } from "@/lib/runs/advance/conversation";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { toApproval } from "@/lib/runs/advance/to-approval";
import type { CallRow } from "@/lib/runs/snapshot";
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

/**
 * The figures come from the statement that refused the call: the worker's memory may lack what began at the same
 * instant.
 */
export type Lapse = { why: Exclude<LapseReason, "budget"> } | { why: "budget"; usedUsd: number; limitUsd: number };

export async function askAgain(
  context: RunContext,
  { work, tools: known }: AgentWithTools,
  { call, lapse }: { call: CallRow; lapse: Lapse },
): Promise<void> {
  const { why } = lapse;
  const { deps, memory, writes } = context;
  const tools = why === "definition_changed" ? await listAgentTools(context, work) : known;
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const args = parseArguments(call.argumentsCanonical);
  const judged = judgeCall(context, { work, tools }, { server: call.server, tool: call.tool, arguments: args ?? {} });
  const error = refusalOf(judged, {
    definition,
    isReachable: server?.reachable !== false,
    args,
    overspend: lapse.why === "budget" ? explainOverspend({ ...lapse, estimatedUsd: call.costUsd }) : null,
  });
  const shown = show(context, tools, { ...call, arguments: args ?? {} });
  const rule = judged.decision === "ask" ? judged.rule : { ...DEFAULT_APPROVAL_RULE, reason: WHY[why] };
  const trace = [
    {
      layer: "internal" as const,
      outcome: error ? ("deny" as const) : ("ask" as const),
      reason: `${error ? "Refused" : "Asked again"}: ${WHY[why]}`,
    },
    ...judged.trace,
  ];
  const fingerprint = definition ? fingerprintTool(definition) : null;
  const { id, stepId, tool, retrySafe } = call;
  const asked = {
    id,
    stepId,
    server: call.server,
    tool,
    retrySafe,
    danger: judged.danger.level,
    ...shown,
    definitionFingerprint: fingerprint,
    policyHash: context.loaded.project.hash,
    trace,
  };
  const question = {
    ...asked,
    callId: id,
    runId: memory.run.id,
    workflow: context.workflow.name,
    agent: work.agent.name,
    agentSays: agentSaysOf(context, call),
    starterIds: memory.run.starterIds,
  };
  const approval = error ? null : toApproval(question, rule, deps.now());
  await writes.now({ kind: "call_asked_again", at: deps.now().toISOString(), call: asked, why, approval, error });
}

/** What the model said in the turn that made the call. */
function agentSaysOf({ memory }: RunContext, { stepId, turnId }: CallRow): string | null {
  const turn = memory.turnsOf(stepId).find(({ id }) => id === turnId);
  return (turn && responseOf(turn).text) || null;
}

/** Null when people can be asked. */
function refusalOf(
  judged: JudgedCall,
  {
    definition,
    isReachable,
    args,
    overspend,
  }: {
    definition: ToolDefinition | undefined;
    isReachable: boolean;
    args: Record<string, unknown> | null;
    overspend: string | null;
  },
): { code: string; message: string } | null {
  if (args === null)
    return {
      code: "malformed_arguments",
      message: "The arguments on record are no JSON object, so the call was not made.",
    };
  if (judged.decision === "deny") return { code: judged.code, message: judged.reason };
  if (overspend !== null) return { code: "budget_exceeded", message: overspend };
  if (!isReachable)
    return {
      code: "server_unreachable",
      message: "The server cannot be reached now, so nobody could say what would be called. The call was not made.",
    };
  if (!definition) return { code: "tool_unknown", message: "The server does not list this tool any more." };
  const fit = checkAgainstSchema(definition.inputSchema, args);
  return fit.kind === "violation"
    ? { code: "invalid_arguments", message: `The arguments do not fit the tool's schema: ${fit.problems.join("; ")}` }
    : null;
}

/** The new card is built from what would be sent, never taken from the old card. */
function show(context: RunContext, tools: AgentTools, call: WantedCall) {
  const { arguments: args } = call;
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const options = {
    fingerprint: context.deps.fingerprint,
    ...(server ? { matcher: matchSecrets(server.tools) } : {}),
    ...(definition ? { schema: definition.inputSchema } : {}),
  };
  const shown = redact(args, options) as Record<string, unknown>;
  const facts = factsOf(server?.entry.server, call.tool);
  return {
    arguments: shown,
    argumentsCanonical: canonicalizeArguments(args),
    digest: digestArguments(args),
    summary: summarizeCall({ name: call.tool, title: titleOf(definition, facts) }, facts?.summary, shown),
  };
}
