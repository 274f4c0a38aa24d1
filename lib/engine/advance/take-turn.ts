/** Asks the model for one turn and records it with its calls. A recorded turn is never asked for again; an unrecorded one is. */
import type { AgentStep } from "@/lib/config/step-schema";
import { listHidden } from "@/lib/domain/redaction";
import { createSecretMatcher } from "@/lib/domain/secret-matcher";
import { isStepSettled } from "@/lib/domain/step-state";
import { mapText } from "@/lib/domain/tool-text";
import { listAgentTools, type AgentAtWork, type AgentTools } from "@/lib/engine/advance/agent-tools";
import { buildMessages } from "@/lib/engine/advance/conversation";
import { type OfferedTools, offerTools, type OfferState } from "@/lib/engine/advance/offer-tools";
import { prepareCalls, type PreparedCalls } from "@/lib/engine/advance/prepare-calls";
import { reserveTurn } from "@/lib/engine/advance/reserve-turn";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held } from "@/lib/engine/advance/run-memory";
import type { StepError } from "@/lib/engine/advance/step-outcome";
import { matchRunSecrets } from "@/lib/engine/known-secrets";
import { createId } from "@/lib/ids";
import type { ModelMessage, ModelRequest, ModelTurn, UserMessage } from "@/lib/models/model";
import { pause } from "@/lib/pause";
import type { RunLine } from "@/lib/store/run-line";
import { recordTurn } from "@/lib/store/transitions/record-turn";
import { releaseCost } from "@/lib/store/transitions/reserve-cost";
import { followTurn } from "@/lib/telemetry/tell-step";
import { hideSecrets, matchSecrets } from "@/lib/tools/tool-server";

export interface TurnWish {
  stepId: string;
  parentCallId: string | null;
  /** The messages that begin the conversation. */
  opening: ModelMessage[];
  /** Said by us before this turn: a reflection, a misfit, the word to conclude. */
  additions: UserMessage[];
  withTools: boolean;
  model: AgentStep["model"];
  state: OfferState;
}

export type TurnTaken = { kind: "taken"; tools: AgentTools } | { kind: "failed"; error: StepError };

export async function takeTurn(context: RunContext, work: AgentAtWork, wish: TurnWish): Promise<TurnTaken> {
  const { memory } = context;
  const number = memory.turnsOf(wish.stepId).length + 1;
  const tools = await listAgentTools(context, work);
  const offered = offerTools(work, tools, wish.state);
  const group = modelGroup(context, work, wish.model?.group);
  const wished: ModelRequest = {
    system: work.agent.definition.prompt.system,
    messages: [...buildMessages(memory, wish.stepId, wish.opening), ...wish.additions],
    tools: wish.withTools ? offered.tools : [],
    maxTokens: wish.model?.max_tokens ?? null,
    temperature: wish.model?.temperature ?? null,
    metadata: { agent: work.agent.name, runId: memory.run.id, stepId: wish.stepId, turn: number },
  };
  const reserved = await reserveTurn(context, { group, request: wished });
  if ("code" in reserved) return { kind: "failed", error: reserved };
  const request = { ...wished, maxTokens: reserved.maxTokens };
  try {
    return await ask(context, work, wish, { number, tools, offered, group, request, reservedUsd: reserved.usd });
  } finally {
    reserved.done();
  }
}

interface Asking {
  number: number;
  tools: AgentTools;
  offered: OfferedTools;
  group: string;
  request: ModelRequest;
  reservedUsd: number;
}

async function ask(context: RunContext, work: AgentAtWork, wish: TurnWish, { number, tools, offered, group, request, reservedUsd }: Asking): Promise<TurnTaken> {
  const { deps, memory, loaded, writes } = context;
  await pause("model-turn:before-call", wish.stepId);
  const kindOf = (name: string) => loaded.project.gateway?.providers.find((provider) => provider.name === name)?.type;
  const followed = { group, agent: work.agent.name, runId: memory.run.id, number, maxTokens: request.maxTokens, temperature: request.temperature, kindOf };
  const turnId = createId("turn");
  const judge = async () => {
    const answer = await followTurn(followed, () => loaded.gateway.generate(group, request, { signal: context.turnSignal }));
    await pause("model-turn:after-call", wish.stepId);
    // What the model says of a secret is not kept; the calls are judged by what it really said.
    const kept = hideInTurn(context, tools, offered, { ...answer.turn, attempts: answer.attempts });
    const prepared = prepareCalls(context, work, tools, offered, { stepId: wish.stepId, turnId, parentCallId: wish.parentCallId, turn: answer.turn, kept, withTools: wish.withTools });
    return { answer, kept, prepared };
  };
  const { answer, kept, prepared } = await judge().catch(async (error: unknown) => {
    // Nothing is recorded of it, so what was set aside for it is free again.
    if (reservedUsd > 0) await writes.now((db) => releaseCost(db, memory.lease, reservedUsd));
    throw error;
  });
  const messages = number === 1 ? [...wish.opening, ...wish.additions] : wish.additions;
  const turn = {
    id: turnId,
    stepId: wish.stepId,
    number,
    model: answer.model,
    request: { messages, group, tools: request.tools.map((tool) => tool.name), ...(request.maxTokens === null ? {} : { max_tokens: request.maxTokens }) },
    response: kept,
    tokensIn: answer.usage.tokensIn,
    tokensOut: answer.usage.tokensOut,
    costUsd: answer.costUsd,
    reservedUsd,
    durationMs: answer.durationMs,
  };
  const stepState = { ...wish.state, toolsets: offered.loaded() };
  const begins = await context.starts.take(wish.stepId);
  const parks = isAllThatIsLeft(context, wish, prepared) ? { status: "pending_approval" as const, wakeAt: null, seenWakes: memory.seenWakes, activeMs: context.activeMs() } : null;
  const record = (line: RunLine) => recordTurn(line, memory.lease, { turn, calls: prepared.calls, approvals: prepared.approvals, stepId: wish.stepId, stepState, begins, parks }, deps.now());
  if (parks) held(await writes.now(record, { insists: true }));
  else await writes.later(record);
  memory.isParked = parks !== null;
  memory.addTurn({ id: turnId, stepId: wish.stepId, number, request: turn.request, response: turn.response, costUsd: turn.costUsd });
  for (const row of prepared.rows) memory.addCall(row);
  memory.run.costUsd += answer.costUsd;
  const step = memory.steps.get(wish.stepId);
  memory.setStep(wish.stepId, { state: { ...step?.state, ...stepState }, ...(prepared.approvals.length > 0 ? { status: "pending_approval" } : {}) });
  return { kind: "taken", tools };
}

/** Whether the run has nothing to do after this turn but to wait for people: one plain step is under way, and none of its calls can be made now. */
function isAllThatIsLeft({ memory, signal }: RunContext, { stepId, parentCallId }: TurnWish, { rows }: PreparedCalls): boolean {
  const isWaiting = rows.some((call) => call.status === "pending_approval") && !rows.some((call) => call.status === "approved");
  if (!isWaiting || parentCallId !== null || signal.aborted || memory.failing) return false;
  return [...memory.steps.values()].every((step) => step.parentId === null && (step.id === stepId || step.status === "pending" || isStepSettled(step.status)));
}

function hideInTurn<T extends ModelTurn>(context: RunContext, tools: AgentTools, offered: OfferedTools, turn: T): T {
  // An agent without servers has a provider all the same, which knows its own key.
  const matchers = [matchRunSecrets(context), ...[...tools.servers.values()].map((server) => matchSecrets(server.tools))];
  const kept = matchers.reduce((value, matcher) => mapText(value, (text) => hideSecrets(matcher, text)) as T, turn);
  return { ...kept, text: hideSecrets(createSecretMatcher(listHiddenIn(tools, offered, turn)), kept.text) };
}

/** What the card of a call hides of its arguments must not stand beside it in the agent's words. */
function listHiddenIn(tools: AgentTools, offered: OfferedTools, turn: ModelTurn): string[] {
  return turn.toolCalls.flatMap((call) => {
    const target = offered.find(call.name);
    return listHidden(call.arguments, target && tools.servers.get(target.server)?.definitions.get(target.tool)?.inputSchema);
  });
}

/** The workflow's limits on models come before the step's wish, and that before the agent's own. */
function modelGroup({ workflow }: RunContext, work: AgentAtWork, wished: string | undefined): string {
  const policy = workflow.definition.model_policy;
  const group = policy?.force_group ?? wished ?? work.agent.definition.model;
  return policy?.group_map?.[group] ?? group;
}
