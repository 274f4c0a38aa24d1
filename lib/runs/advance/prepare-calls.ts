/** Turns a model's calls into rows: known or not, fitting their schema or not, allowed, asked or refused. */
import { canonicalizeArguments, digestCanonical } from "@/lib/text/digest";
import { factsOf } from "@/lib/policy/judge-by-project";
import { redact } from "@/lib/text/redaction";
import type { SecretMatcher } from "@/lib/text/secret-matcher";
import { summarizeCall, titleOf } from "@/lib/approvals/rules/summarize-call";
import { fingerprintTool } from "@/lib/tools/rules/tool-fingerprint";
import type { AgentWithTools } from "@/lib/runs/advance/agent-tools";
import { findEarlierRejection } from "@/lib/runs/advance/conversation";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { isRetrySafe, judgeCall, type WantedCall } from "@/lib/runs/advance/judge-call";
import { type Question, toApproval } from "@/lib/runs/advance/to-approval";
import { matchRunSecrets } from "@/lib/projects/known-secrets";
import type { CallTarget, OfferedTools } from "@/lib/runs/advance/offer-tools";
import { createId } from "@/lib/ids";
import { KimitsuError } from "@/lib/errors";
import type { ModelTurn, ToolCallRequest } from "@/lib/models/model";
import type { NewApproval, NewCall } from "@/lib/runs/changes/turn-recorded";
import { checkAgainstSchema } from "@/lib/tools/schema-check";
import { matchSecrets } from "@/lib/tools/tool-server";

export interface PreparedCalls {
  calls: NewCall[];
  approvals: NewApproval[];
}

export interface CallsOfTurn {
  stepId: string;
  /** The id of its only call, when that was made before; for the call of a client. */
  callId?: string;
  /** Null for the call of a client, which no model of ours has made. */
  turnId: string | null;
  parentCallId: string | null;
  turn: Pick<ModelTurn, "text" | "toolCalls">;
  offered: Pick<OfferedTools, "find" | "schemaOf" | "answer">;
  /**
   * The same turn as it may be stored and shown: no secret is in its text, nor in the names and ids that the model
   * gives its calls.
   */
  kept: Pick<ModelTurn, "text" | "toolCalls">;
  /** False on a turn that had to conclude: any calls that it makes nevertheless are refused. */
  withTools: boolean;
}

export function prepareCalls(context: RunContext, agent: AgentWithTools, of: CallsOfTurn): PreparedCalls {
  const prepared: PreparedCalls = { calls: [], approvals: [] };
  for (const [place, wanted] of of.turn.toolCalls.entries()) {
    const call = prepareCall(context, agent, { ...of, wanted, keptCall: of.kept.toolCalls[place]! });
    const approval = call.rule ? toApproval(toQuestion(context, call.row), call.rule, context.deps.now()) : null;
    prepared.calls.push(call.row);
    if (approval) prepared.approvals.push(approval);
  }
  return prepared;
}

type Rule = Parameters<typeof toApproval>[1];
type Settled = Pick<NewCall, "status" | "danger" | "trace" | "error"> & { rule: Rule | null; result?: unknown };

function prepareCall(
  context: RunContext,
  agent: AgentWithTools,
  of: CallsOfTurn & Record<"wanted" | "keptCall", ToolCallRequest>,
): { row: NewCall; rule: Rule | null } {
  const { work, tools } = agent;
  const { offered, wanted, keptCall: kept } = of;
  const target = offered.find(wanted.name);
  const call = {
    server: target?.server ?? "unknown",
    tool: target?.tool ?? kept.name,
    arguments: wanted.arguments as Record<string, unknown>,
  };
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const options = {
    fingerprint: context.deps.fingerprint,
    matcher: server ? matchSecrets(server.tools) : matchRunSecrets(context),
    ...(definition ? { schema: definition.inputSchema } : {}),
  };
  const frozen = freeze(wanted.arguments);
  const shown = redact(wanted.arguments, options) as Record<string, unknown>;
  const settled = settle();
  const facts = factsOf(server?.entry.server, call.tool);
  const row: NewCall = {
    id: of.callId ?? createId("call"),
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
    // What was refused is never sent, so only its redacted form is stored, which may no longer be valid arguments.
    argumentsCanonical:
      settled.status === "approved" || settled.status === "pending_approval" ? frozen.text : freeze(shown).text,
    digest: frozen.digest,
    definitionFingerprint: definition ? fingerprintTool(definition) : null,
    policyHash: context.loaded.project.hash,
    trace: settled.trace,
    agentSays: of.kept.text === "" ? null : of.kept.text,
    summary: summarizeCall({ name: call.tool, title: titleOf(definition, facts) }, facts?.summary, shown),
    // A sub-agent's own calls have their own grants; calling it again resumes where it was.
    retrySafe: target?.subagent !== undefined || isRetrySafe(tools, call),
    costUsd: facts?.cost_usd ?? 0,
    result: settled.result ?? null,
    error: settled.error,
  };
  return { row, rule: settled.rule };

  function settle(): Settled {
    if (!of.withTools)
      return refused("denied", "no_tools_left", "This turn was to conclude: no tools were offered, so none is called.");
    if (target?.virtual) return offered.answer(target, call.arguments);
    if (target?.unloaded) return refuseUnloaded(target.unloaded);
    if (target?.withdrawn)
      return refused(
        "denied",
        "tool_withdrawn",
        `People did not let ${call.server}.${call.tool} through earlier in this step, and its rule says \`on_reject: skip\`: it cannot be called for the rest of the step.`,
      );
    const problem = problemOf(wanted, frozen, options);
    if (problem) return problem;
    const violation = target?.subagent ? schemaViolationOf(offered.schemaOf(target.subagent), call.arguments) : null;
    if (violation) return { ...violation, danger: "safe", trace: [] };
    if (target?.subagent)
      return {
        status: "approved",
        danger: "safe",
        trace: [{ layer: "allowlist", outcome: "allow", reason: "a sub-agent that the agent's file names" }],
        error: null,
        rule: null,
      };
    return earlierRejection(context, call, frozen) ?? judge(context, agent, call);
  }
}

function freeze(args: unknown): { text: string; digest: string; problem: string | null } {
  try {
    const text = canonicalizeArguments(args);
    return { text, digest: digestCanonical(text), problem: null };
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    return { text: "{}", digest: digestCanonical("{}"), problem: error.message };
  }
}

/** Arguments that cannot be sent as intended, or that contain a secret, which no model should know. */
function problemOf(
  wanted: ToolCallRequest,
  frozen: { text: string; problem: string | null },
  { matcher }: { matcher: SecretMatcher },
): Settled | null {
  if (wanted.malformed) return refused("failed", "malformed_arguments", wanted.malformed.problem);
  if (frozen.problem !== null) return refused("failed", "malformed_arguments", frozen.problem);
  if (matcher.replaceAll(frozen.text, () => "") !== frozen.text)
    return refused(
      "denied",
      "secret_in_arguments",
      "The arguments hold the value of a secret; secrets are given to servers by their params, never by a model.",
    );
  return null;
}

function refused(status: "failed" | "denied" | "rejected", code: string, message: string): Settled {
  return {
    status,
    danger: "high",
    trace: [{ layer: "internal", outcome: "deny", reason: message }],
    error: { code, message },
    rule: null,
  };
}

/** A toolset that is not loaded is closed: the call reaches neither a tool nor a reviewer. */
function refuseUnloaded({ reason, source }: NonNullable<CallTarget["unloaded"]>): Settled {
  return {
    ...refused("denied", "toolset_not_loaded", reason),
    trace: [{ layer: "toolset", outcome: "deny", reason, source }],
  };
}

/** Nobody is asked twice about the same call. */
function earlierRejection({ memory }: RunContext, call: WantedCall, frozen: { digest: string }): Settled | null {
  const earlier = findEarlierRejection(memory, { ...call, digest: frozen.digest });
  if (!earlier) return null;
  return refused(
    "rejected",
    "rejected_before",
    earlier.approval?.reason || earlier.error?.message || "A person has refused this call before.",
  );
}

function judge(context: RunContext, agent: AgentWithTools, call: WantedCall): Settled {
  const judged = judgeCall(context, agent, call);
  const base = { danger: judged.danger.level, trace: judged.trace, error: null, rule: null };
  if (judged.decision === "deny")
    return { ...base, status: "denied", error: { code: judged.code, message: judged.reason } };
  const definition = agent.tools.servers.get(call.server)?.definitions.get(call.tool);
  const violation = definition ? schemaViolationOf(definition.inputSchema, call.arguments) : null;
  if (violation) return { ...base, ...violation };
  return judged.decision === "allow"
    ? { ...base, status: "approved" }
    : { ...base, status: "pending_approval", rule: judged.rule };
}

function schemaViolationOf(
  schema: Readonly<Record<string, unknown>>,
  args: unknown,
): Pick<Settled, "status" | "error" | "rule"> | null {
  const fit = checkAgainstSchema(schema, args);
  if (fit.kind !== "violation") return null;
  return {
    status: "failed",
    error: {
      code: "invalid_arguments",
      message: `The arguments do not fit the tool's schema: ${fit.problems.join("; ")}`,
    },
    rule: null,
  };
}

function toQuestion({ memory: { run }, workflow }: RunContext, row: NewCall): Question {
  return { ...row, callId: row.id, runId: run.id, workflow: workflow.name, starterIds: run.starterIds ?? [] };
}
