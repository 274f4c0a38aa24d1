/** Turns the calls that a model asks for into rows: known or not, fitting their schema or not, allowed, asked or refused. */
import { canonicalizeArguments, digestArguments } from "@/lib/domain/digest";
import { redact } from "@/lib/domain/redaction";
import type { SecretMatcher } from "@/lib/domain/secret-matcher";
import { summarizeCall, titleOf } from "@/lib/domain/summarize-call";
import { fingerprintTool } from "@/lib/domain/tool-fingerprint";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import { findEarlierRejection } from "@/lib/engine/advance/conversation";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { isRetrySafe, judgeCall, type WantedCall } from "@/lib/engine/advance/judge-call";
import { toApproval } from "@/lib/engine/advance/to-approval";
import { matchRunSecrets } from "@/lib/engine/known-secrets";
import type { OfferedTools } from "@/lib/engine/advance/offer-tools";
import { createId } from "@/lib/ids";
import { KimitsuError } from "@/lib/errors";
import type { ModelTurn, ToolCallRequest } from "@/lib/models/model";
import type { CallRow } from "@/lib/store/queries/load-run";
import type { NewApproval, NewCall } from "@/lib/store/transitions/record-turn";
import { checkAgainstSchema } from "@/lib/tools/schema-check";
import { matchSecrets } from "@/lib/tools/tool-server";

export interface PreparedCalls {
  calls: NewCall[];
  approvals: NewApproval[];
  /** The same calls as the worker's memory keeps them. */
  rows: CallRow[];
}

export interface CallsOfTurn {
  stepId: string;
  turnId: string;
  parentCallId: string | null;
  turn: ModelTurn;
  /** The same as it may be kept and shown: no secret is in its words, nor in the names and ids that the model gives its calls. */
  kept: ModelTurn;
  /** False on a turn that was to conclude: what it asks for all the same is refused. */
  withTools: boolean;
}

export function prepareCalls(context: RunContext, work: AgentAtWork, tools: AgentTools, offered: OfferedTools, of: CallsOfTurn): PreparedCalls {
  const prepared: PreparedCalls = { calls: [], approvals: [], rows: [] };
  for (const [place, wanted] of of.turn.toolCalls.entries()) {
    const call = prepareCall(context, work, tools, offered, of, { wanted, kept: of.kept.toolCalls[place]! });
    const approval = call.rule ? toApproval({ ...pickQuestion(call.row), workflow: context.workflow.name }, call.rule, context.deps.now()) : null;
    prepared.calls.push(call.row);
    if (approval) prepared.approvals.push(approval);
    prepared.rows.push(toRow(call.row, approval));
  }
  return prepared;
}

type Rule = Parameters<typeof toApproval>[1];
type Settled = Pick<NewCall, "status" | "danger" | "trace" | "error"> & { rule: Rule | null; result?: unknown };

function prepareCall(context: RunContext, work: AgentAtWork, tools: AgentTools, offered: OfferedTools, of: CallsOfTurn, { wanted, kept }: Record<"wanted" | "kept", ToolCallRequest>): { row: NewCall; rule: Rule | null } {
  const target = offered.find(wanted.name);
  const call = { server: target?.server ?? "unknown", tool: target?.tool ?? kept.name, arguments: wanted.arguments as Record<string, unknown> };
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const options = { fingerprint: context.deps.fingerprint, matcher: server ? matchSecrets(server.tools) : matchRunSecrets(context), ...(definition ? { schema: definition.inputSchema } : {}) };
  const frozen = freeze(wanted.arguments);
  const shown = redact(wanted.arguments, options) as Record<string, unknown>;
  const settled = settle();
  const facts = server?.entry.server.definition.tools?.[call.tool];
  const row: NewCall = {
    id: createId("call"),
    turnId: of.turnId,
    stepId: of.stepId,
    parentCallId: of.parentCallId,
    modelCallId: kept.id,
    agent: work.agent.name,
    server: call.server,
    tool: call.tool,
    status: settled.status,
    danger: settled.danger,
    arguments: shown,
    // What was refused is never sent, so nothing but its redacted form is kept of it, which may be no arguments any more.
    argumentsCanonical: settled.status === "approved" || settled.status === "pending_approval" ? frozen.text : freeze(shown).text,
    digest: frozen.digest,
    definitionFingerprint: definition ? fingerprintTool(definition) : null,
    policyHash: context.loaded.project.hash,
    trace: settled.trace,
    agentSays: of.kept.text === "" ? null : of.kept.text,
    summary: summarizeCall({ name: call.tool, title: titleOf(definition, facts) }, facts?.summary, shown),
    // A sub-agent's own calls have their own grants; asking it again goes on where it stood.
    retrySafe: target?.subagent !== undefined || isRetrySafe(tools, call),
    costUsd: facts?.cost_usd ?? 0,
    result: settled.result ?? null,
    error: settled.error,
  };
  return { row, rule: settled.rule };

  function settle(): Settled {
    if (!of.withTools) return refused("denied", "no_tools_left", "This turn was to conclude: no tools were offered, so none is called.");
    if (target?.virtual) return offered.answer(target, call.arguments);
    const problem = problemOf(wanted, frozen, options);
    if (problem) return problem;
    const misfit = target?.subagent ? misfitOf(offered.schemaOf(target.subagent), call.arguments) : null;
    if (misfit) return { ...misfit, danger: "safe", trace: [] };
    if (target?.subagent) return { status: "approved", danger: "safe", trace: [{ layer: "allowlist", outcome: "allow", reason: "a sub-agent that the agent's file names" }], error: null, rule: null };
    return earlierRejection(context, call, frozen) ?? judge(context, work, tools, call, definition?.inputSchema);
  }
}

function freeze(args: unknown): { text: string; digest: string; problem: string | null } {
  try {
    return { text: canonicalizeArguments(args), digest: digestArguments(args), problem: null };
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    return { text: "{}", digest: digestArguments({}), problem: error.message };
  }
}

/** Arguments that cannot be sent as they were meant, or that hold a secret, which no model can rightly know. */
function problemOf(wanted: ToolCallRequest, frozen: { text: string; problem: string | null }, { matcher }: { matcher: SecretMatcher }): Settled | null {
  if (wanted.malformed) return refused("failed", "malformed_arguments", wanted.malformed.problem);
  if (frozen.problem !== null) return refused("failed", "malformed_arguments", frozen.problem);
  if (matcher.replaceAll(frozen.text, () => "") !== frozen.text) return refused("denied", "secret_in_arguments", "The arguments hold the value of a secret; secrets are given to servers by their params, never by a model.");
  return null;
}

function refused(status: "failed" | "denied" | "rejected", code: string, message: string, danger = "high"): Settled {
  return { status, danger, trace: [{ layer: "internal", outcome: "deny", reason: message }], error: { code, message }, rule: null };
}

/** Nobody is asked twice about the same call. */
function earlierRejection({ memory }: RunContext, call: WantedCall, frozen: { digest: string }): Settled | null {
  const earlier = findEarlierRejection(memory, { ...call, digest: frozen.digest });
  if (!earlier) return null;
  return refused("rejected", "rejected_before", earlier.approval?.reason || earlier.error?.message || "A person has refused this call before.");
}

function judge(context: RunContext, work: AgentAtWork, tools: AgentTools, call: WantedCall, inputSchema: Readonly<Record<string, unknown>> | undefined): Settled {
  const judged = judgeCall(context, work, tools, call);
  const base = { danger: judged.danger.level, trace: judged.trace, error: null, rule: null };
  if (judged.decision === "deny") return { ...base, status: "denied", error: { code: judged.code, message: judged.reason } };
  const misfit = inputSchema ? misfitOf(inputSchema, call.arguments) : null;
  if (misfit) return { ...base, ...misfit };
  return judged.decision === "allow" ? { ...base, status: "approved" } : { ...base, status: "pending_approval", rule: judged.rule };
}

function misfitOf(schema: Readonly<Record<string, unknown>>, args: unknown): Pick<Settled, "status" | "error" | "rule"> | null {
  const fit = checkAgainstSchema(schema, args);
  if (fit.kind !== "misfit") return null;
  return { status: "failed", error: { code: "invalid_arguments", message: `The arguments do not fit the tool's schema: ${fit.problems.join("; ")}` }, rule: null };
}

function pickQuestion(row: NewCall) {
  const { id: callId, stepId, agent, server, tool, danger, summary, digest } = row;
  return { callId, stepId, agent, server, tool, danger, summary, digest };
}

function toRow(call: NewCall, approval: NewApproval | null): CallRow {
  const { id, stepId, turnId, modelCallId, server, tool, status, argumentsCanonical, digest, definitionFingerprint, retrySafe, costUsd, result } = call;
  return {
    id, stepId, turnId, modelCallId, server, tool, status, argumentsCanonical, digest, definitionFingerprint, retrySafe, costUsd, result,
    epoch: null,
    error: call.error as CallRow["error"],
    approval: approval ? { id: approval.id, status: "pending", rule: approval.rule as Rule, reason: null, edited: false } : null,
  };
}
