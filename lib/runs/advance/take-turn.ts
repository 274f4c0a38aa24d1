/**
 * Requests one turn from the model and records it with its calls. A recorded turn is never requested again; an
 * unrecorded one is.
 */
import type { AgentStep } from "@/lib/config/step-schema";
import { listHidden } from "@/lib/text/redaction";
import { createSecretMatcher } from "@/lib/text/secret-matcher";
import { isStepSettled } from "@/lib/runs/rules/step-state";
import { mapText } from "@/lib/text/tool-text";
import { type AgentAtWork, type AgentTools, type AgentWithTools, listAgentTools } from "@/lib/runs/advance/agent-tools";
import { buildMessages } from "@/lib/runs/advance/conversation";
import { type OfferedTools, offerTools, type OfferState } from "@/lib/runs/advance/offer-tools";
import { prepareCalls, type PreparedCalls } from "@/lib/runs/advance/prepare-calls";
import { reserveTurn } from "@/lib/runs/advance/reserve-turn";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { StepError } from "@/lib/runs/advance/step-outcome";
import { matchRunSecrets } from "@/lib/projects/known-secrets";
import { createId } from "@/lib/ids";
import type { JsonObject, ModelMessage, ModelRequest, ModelTurn, UserMessage } from "@/lib/models/model";
import { pause } from "@/lib/pause";
import { parkOrGoOn } from "@/lib/runs/advance/rest";
import { recordTurn } from "@/lib/runs/changes/turn-recorded";
import { followTurn } from "@/lib/telemetry/record-step";
import { hideSecrets, matchSecrets } from "@/lib/tools/tool-server";

export interface TurnSpec {
  stepId: string;
  parentCallId: string | null;
  /** The messages that begin the conversation. */
  opening: ModelMessage[];
  /** Our messages before this turn: a reflection, a violation, the instruction to conclude. */
  additions: UserMessage[];
  withTools: boolean;
  /** What the final answer must fit; null: anything. */
  outputSchema: Readonly<Record<string, unknown>> | null;
  model: AgentStep["model"];
  state: OfferState;
}

export type TurnTaken = { kind: "taken"; tools: AgentTools } | { kind: "failed"; error: StepError };

export async function takeTurn(context: RunContext, work: AgentAtWork, spec: TurnSpec): Promise<TurnTaken> {
  const { memory } = context;
  const number = memory.turnsOf(spec.stepId).length + 1;
  const tools = await listAgentTools(context, work);
  const offered = offerTools(context, { work, tools }, spec);
  const group = modelGroup(context, work, spec.model?.group);
  const draft: ModelRequest = {
    system: work.agent.definition.prompt.system,
    messages: [...buildMessages(memory, spec.stepId, spec.opening), ...spec.additions],
    tools: spec.withTools ? offered.tools : [],
    outputSchema: spec.outputSchema as JsonObject | null,
    maxTokens: spec.model?.max_tokens ?? null,
    temperature: spec.model?.temperature ?? null,
    metadata: { agent: work.agent.name, runId: memory.run.id, stepId: spec.stepId, turn: number },
  };
  const reserved = await reserveTurn(context, { group, request: draft });
  if ("code" in reserved) return { kind: "failed", error: reserved };
  const request = { ...draft, maxTokens: reserved.maxTokens };
  try {
    return await ask(context, { work, tools }, { ...spec, number, offered, group, request });
  } finally {
    reserved.done();
  }
}

interface Asking extends TurnSpec {
  number: number;
  offered: OfferedTools;
  group: string;
  request: ModelRequest;
}

async function ask(context: RunContext, agent: AgentWithTools, spec: Asking): Promise<TurnTaken> {
  const { deps, memory, loaded, writes } = context;
  const { work, tools } = agent;
  const { number, offered, group, request } = spec;
  await pause("model-turn:before-call", spec.stepId);
  const kindOf = (name: string) => loaded.project.gateway?.providers.find((provider) => provider.name === name)?.type;
  const followed = {
    group,
    agent: work.agent.name,
    runId: memory.run.id,
    number,
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    kindOf,
  };
  const turnId = createId("turn");
  const answer = await followTurn(followed, () =>
    loaded.gateway.generate(group, request, { signal: context.turnSignal }),
  );
  await pause("model-turn:after-call", spec.stepId);
  // What the model says of a secret is not stored; the calls are judged by what it really said.
  const kept = hideInTurn(context, { tools, offered }, { ...answer.turn, attempts: answer.attempts });
  const prepared = prepareCalls(context, agent, {
    offered,
    stepId: spec.stepId,
    turnId,
    parentCallId: spec.parentCallId,
    turn: answer.turn,
    kept,
    withTools: spec.withTools,
  });
  const messages = number === 1 ? [...spec.opening, ...spec.additions] : spec.additions;
  const turn = {
    id: turnId,
    stepId: spec.stepId,
    number,
    model: answer.model,
    request: {
      messages,
      group,
      tools: request.tools.map((tool) => tool.name),
      ...(request.maxTokens === null ? {} : { max_tokens: request.maxTokens }),
    },
    response: kept,
    tokensIn: answer.usage.tokensIn,
    tokensOut: answer.usage.tokensOut,
    costUsd: answer.costUsd,
    durationMs: answer.durationMs,
  };
  const { calls, approvals } = prepared;
  const at = deps.now().toISOString();
  const seen = memory.news;
  const mayPark = isAllThatIsLeft(context, spec, prepared);
  const change = recordTurn(memory.snapshot, {
    at,
    stepId: spec.stepId,
    turn,
    calls,
    approvals,
    stepState: { ...spec.state },
  });
  await writes.later(change);
  if (mayPark) memory.isParked = await parkOrGoOn(context, { status: "pending_approval", wakeAt: null }, seen);
  return { kind: "taken", tools };
}

/**
 * Whether the run only waits for people after this turn: one plain step is in progress, and none of its calls can be
 * made now.
 */
function isAllThatIsLeft(
  { memory, signal }: RunContext,
  { stepId, parentCallId }: TurnSpec,
  { calls }: PreparedCalls,
): boolean {
  const isWaiting =
    calls.some((call) => call.status === "pending_approval") && !calls.some((call) => call.status === "approved");
  if (!isWaiting || parentCallId !== null || signal.aborted || memory.failing) return false;
  return [...memory.steps.values()].every(
    (step) => step.parentId === null && (step.id === stepId || step.status === "pending" || isStepSettled(step.status)),
  );
}

function hideInTurn<T extends ModelTurn>(
  context: RunContext,
  { tools, offered }: { tools: AgentTools; offered: OfferedTools },
  turn: T,
): T {
  // An agent without servers still has a provider, which knows its own key.
  const matchers = [
    matchRunSecrets(context),
    ...[...tools.servers.values()].map((server) => matchSecrets(server.tools)),
  ];
  const hide = (text: string) => matchers.reduce((rest, matcher) => hideSecrets(matcher, rest), text);
  const kept = mapText(turn, hide) as T;
  return { ...kept, text: hideSecrets(createSecretMatcher(listHiddenIn(tools, offered, turn)), kept.text) };
}

/** What a call's card hides of its arguments must not appear in the agent's text beside it. */
function listHiddenIn(tools: AgentTools, offered: OfferedTools, turn: ModelTurn): string[] {
  return turn.toolCalls.flatMap((call) => {
    const target = offered.find(call.name);
    return listHidden(
      call.arguments,
      target && tools.servers.get(target.server)?.definitions.get(target.tool)?.inputSchema,
    );
  });
}

/** The workflow's limits on models take precedence over the step's choice, and that over the agent's own. */
function modelGroup({ workflow }: RunContext, work: AgentAtWork, stepGroup: string | undefined): string {
  const policy = workflow.definition.model_policy;
  const group = policy?.force_group ?? stepGroup ?? work.agent.definition.model;
  return policy?.group_map?.[group] ?? group;
}
