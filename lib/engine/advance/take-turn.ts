/** Asks the model for one turn and records it with its calls. A recorded turn is never asked for again; an unrecorded one is. */
import type { AgentStep } from "@/lib/config/step-schema";
import { listAgentTools, type AgentAtWork, type AgentTools } from "@/lib/engine/advance/agent-tools";
import { buildMessages } from "@/lib/engine/advance/conversation";
import { insist } from "@/lib/engine/advance/insist";
import { type OfferedTools, offerTools, type OfferState } from "@/lib/engine/advance/offer-tools";
import { prepareCalls } from "@/lib/engine/advance/prepare-calls";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held, LeaseLost, type RunMemory } from "@/lib/engine/advance/run-memory";
import type { StepError } from "@/lib/engine/advance/step-outcome";
import { createId } from "@/lib/ids";
import type { ModelMessage, ModelRequest, UserMessage } from "@/lib/models/model";
import { pause } from "@/lib/pause";
import { recordTurn } from "@/lib/store/transitions/record-turn";
import { releaseCost, reserveCost } from "@/lib/store/transitions/reserve-cost";

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
  const { memory, loaded } = context;
  const number = memory.turnsOf(wish.stepId).length + 1;
  const tools = await listAgentTools(context, work);
  const offered = offerTools(work, tools, wish.state);
  const group = modelGroup(context, work, wish.model?.group);
  const request: ModelRequest = {
    system: work.agent.definition.prompt.system,
    messages: [...buildMessages(memory, wish.stepId, wish.opening), ...wish.additions],
    tools: wish.withTools ? offered.tools : [],
    maxTokens: wish.model?.max_tokens ?? null,
    temperature: wish.model?.temperature ?? null,
    metadata: { agent: work.agent.name, runId: memory.run.id, stepId: wish.stepId, turn: number },
  };
  const reserved = await reserve(context, loaded.gateway.estimateCostUsd(group, request));
  if (typeof reserved !== "number") return { kind: "failed", error: reserved };
  const done = trackReservation(memory, reserved);
  try {
    return await ask(context, work, wish, { number, tools, offered, group, request, reserved });
  } finally {
    done();
  }
}

interface Asking {
  number: number;
  tools: AgentTools;
  offered: OfferedTools;
  group: string;
  request: ModelRequest;
  reserved: number;
}

async function ask(context: RunContext, work: AgentAtWork, wish: TurnWish, { number, tools, offered, group, request, reserved }: Asking): Promise<TurnTaken> {
  const { deps, memory, loaded } = context;
  await pause("model-turn:before-call", wish.stepId);
  const answer = await loaded.gateway.generate(group, request, { signal: context.turnSignal }).catch(async (error: unknown) => {
    // Nothing was recorded, so what was set aside for it is free again.
    if (reserved > 0) await releaseCost(deps.db, memory.lease, reserved);
    throw error;
  });
  await pause("model-turn:after-call", wish.stepId);
  const turnId = createId("turn");
  const prepared = prepareCalls(context, work, tools, offered, { stepId: wish.stepId, turnId, parentCallId: wish.parentCallId, turn: answer.turn, withTools: wish.withTools });
  const messages = number === 1 ? [...wish.opening, ...wish.additions] : wish.additions;
  const turn = {
    id: turnId,
    stepId: wish.stepId,
    number,
    model: answer.model,
    request: { messages, group, tools: request.tools.map((tool) => tool.name) },
    response: { ...answer.turn, attempts: answer.attempts },
    tokensIn: answer.usage.tokensIn,
    tokensOut: answer.usage.tokensOut,
    costUsd: answer.costUsd,
    reservedUsd: reserved,
    durationMs: answer.durationMs,
  };
  const stepState = { ...wish.state, toolsets: offered.loaded() };
  held(await insist(() => recordTurn(deps.db, memory.lease, { turn, calls: prepared.calls, approvals: prepared.approvals, stepId: wish.stepId, stepState }, deps.now())));
  memory.addTurn({ id: turnId, stepId: wish.stepId, number, request: turn.request, response: turn.response });
  for (const row of prepared.rows) memory.addCall(row);
  memory.run.costUsd += answer.costUsd;
  const step = memory.steps.get(wish.stepId);
  memory.setStep(wish.stepId, { state: { ...step?.state, ...stepState }, ...(prepared.approvals.length > 0 ? { status: "pending_approval" } : {}) });
  return { kind: "taken", tools };
}

/** The workflow's limits on models come before the step's wish, and that before the agent's own. */
function modelGroup({ workflow }: RunContext, work: AgentAtWork, wished: string | undefined): string {
  const policy = workflow.definition.model_policy;
  const group = policy?.force_group ?? wished ?? work.agent.definition.model;
  return policy?.group_map?.[group] ?? group;
}

/**
 * Money is set aside before it is spent; a run without a budget needs no commit for it. An estimate is higher than what a turn will cost, so
 * while others are under way the answer is not final: what is left of theirs may be enough.
 */
async function reserve(context: RunContext, usd: number): Promise<number | StepError> {
  const { deps, memory } = context;
  if (memory.run.costBudgetUsd === null) return 0;
  for (;;) {
    const others = [...memory.reservations];
    const outcome = await reserveCost(deps.db, memory.lease, usd);
    if (outcome.kind === "lost") throw new LeaseLost("another process has this run now");
    if (outcome.kind === "done") return usd;
    if (others.length === 0 || outcome.spentUsd >= outcome.budgetUsd) {
      const [used, budget, needs] = [outcome.usedUsd, outcome.budgetUsd, usd].map((figure) => `$${figure.toFixed(4)}`);
      return { code: "budget_exceeded", message: `Budget exceeded: ${used} of ${budget} spent or set aside, and the next turn may need ${needs}.`, fails_run: true };
    }
    await Promise.race(others);
  }
}

function trackReservation({ reservations }: RunMemory, usd: number): () => void {
  if (usd === 0) return () => undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  reservations.add(promise);
  return () => {
    reservations.delete(promise);
    resolve();
  };
}
