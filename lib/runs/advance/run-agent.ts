/**
 * The agent loop: turn, calls, results, turn, until an answer is accepted. Everything it knows is in the rows, so any
 * process can resume it at any point.
 */
import type { AgentStep } from "@/lib/config/step-schema";
import { renderTemplate } from "@/lib/config/template";
import { listSecrets } from "@/lib/config/secret-ref";
import { joinOutputSchemas } from "@/lib/models/rules/output-schema";
import { listAgentTools, type AgentAtWork, type AgentTools } from "@/lib/runs/advance/agent-tools";
import { checkAnswer } from "@/lib/runs/advance/check-answer";
import { refusalEffects, responseOf } from "@/lib/runs/advance/conversation";
import { guardStep } from "@/lib/runs/advance/guard-step";
import type { OfferState } from "@/lib/runs/advance/offer-tools";
import { runCalls, type RunSubagent } from "@/lib/runs/advance/run-calls";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { failsRun, type StepOutcome } from "@/lib/runs/advance/step-outcome";
import { stepOf } from "@/lib/runs/changes/move";
import { takeTurn } from "@/lib/runs/advance/take-turn";
import { hasWaitedForCalls, isServerAway, waitAtStep } from "@/lib/runs/advance/wait-for-server";
import type { ModelMessage, ModelTurn, UserMessage } from "@/lib/models/model";
import { followAgent } from "@/lib/telemetry/record-step";

export interface AgentJob {
  stepId: string;
  stepKey: string;
  parentCallId: string | null;
  work: AgentAtWork;
  /** What an agent that declares no params gets instead; null: its params. */
  envelope: Readonly<Record<string, unknown>> | null;
  model: AgentStep["model"];
  confidenceThreshold: number | null;
  /** Of the agent, and of the step that runs it. */
  outputSchemas: Readonly<Record<string, unknown>>[];
  runSubagent: RunSubagent;
}

/** What the step remembers between turns, besides its toolsets. */
interface AgentState extends OfferState {
  degraded?: boolean;
  reflected?: boolean;
  /** Refusals up to this turn have taken effect. */
  settledTurn?: number;
  /** A person's decision on the newest answer; it does not apply to the next one. */
  review?: "accepted" | "refused" | null;
}

const CONCLUDE = "This is your last turn and there are no tools any more. Conclude now with your final answer.";

/** An error on the way (a model, a required server) is an outcome of the step, with its reason on record. */
export function runAgent(context: RunContext, job: AgentJob): Promise<StepOutcome> {
  const work = () => loop(context, job).catch((error: unknown) => waitForTools(context, job, error));
  return followAgent({ name: job.work.agent.name, stepId: job.stepId }, () => guardStep(context, work));
}

/**
 * A required server is waited for; any other error is rethrown, and so is the error of a server that was waited for
 * long enough.
 */
async function waitForTools(context: RunContext, job: AgentJob, error: unknown): Promise<StepOutcome> {
  const { memory, signal } = context;
  const last = memory.turnsOf(job.stepId).at(-1);
  if (
    !isServerAway(error) ||
    signal.aborted ||
    memory.failing ||
    (last && hasWaitedForCalls(memory.callsOfTurn(last.id)))
  )
    throw error;
  const waiting = await waitAtStep(context, job, error.message);
  if (!waiting) throw error;
  return { kind: "waiting", waiting: [waiting] };
}

async function loop(context: RunContext, job: AgentJob): Promise<StepOutcome> {
  const { memory } = context;
  // An item of a fan-out or a sub-agent may be advanced again, because of another, while a person has not reviewed it
  // yet.
  if (memory.steps.get(job.stepId)?.status === "needs_human_review")
    return { kind: "waiting", waiting: [{ for: "review" }] };
  const { definition } = job.work.agent;
  const opening = openingOf(job);
  const outputSchema = joinOutputSchemas(job.outputSchemas);
  let known: Promise<AgentTools> | undefined;
  // A failure is not cached: a server that was away may be back when it is next needed.
  const tools = () =>
    (known ??= listAgentTools(context, job.work).catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
  let additions: UserMessage[] = [];
  for (;;) {
    const state = (memory.steps.get(job.stepId)?.state ?? {}) as AgentState;
    const last = memory.turnsOf(job.stepId).at(-1);
    if (last) {
      const waiting = await runCalls(context, last.id, { work: job.work, tools, runSubagent: job.runSubagent });
      if (waiting.length > 0) return { kind: "waiting", waiting };
      const calls = memory.callsOfTurn(last.id);
      const fatal = calls.find((call) => failsRun(call.error));
      if (fatal?.error) return { kind: "failed", error: { ...fatal.error } };
      if (calls.length === 0) {
        const judged = await judgeAnswer(context, job, { turn: responseOf(last), state });
        if ("kind" in judged) return judged;
        additions = [judged];
      } else {
        const stop = afterRefusals(context, job, { turn: last.number, state });
        if (stop) return stop;
      }
    }
    if (context.signal.aborted || memory.failing) return { kind: "waiting", waiting: [{ for: "stop" }] };
    const after = (memory.steps.get(job.stepId)?.state ?? {}) as AgentState;
    const number = memory.turnsOf(job.stepId).length + 1;
    if (number > definition.max_turns)
      return {
        kind: "failed",
        error: {
          code: "max_turns_exceeded",
          message: `Agent ${definition.name} has used its ${definition.max_turns} turns without an answer.`,
        },
      };
    const isLast = number === definition.max_turns || after.degraded === true;
    const taken = await takeTurn(context, job.work, {
      stepId: job.stepId,
      parentCallId: job.parentCallId,
      opening,
      additions: isLast ? [...additions, { role: "user", text: CONCLUDE }] : additions,
      withTools: !isLast,
      outputSchema,
      model: job.model,
      state: after,
    });
    if (taken.kind === "failed") return { kind: "failed", error: taken.error };
    known = Promise.resolve(taken.tools);
    additions = [];
  }
}

/** The step's outcome, or the message to the agent before its next turn. */
async function judgeAnswer(
  context: RunContext,
  job: AgentJob,
  { turn, state }: { turn: ModelTurn; state: AgentState },
): Promise<StepOutcome | UserMessage> {
  if (state.review === "refused")
    return {
      kind: "failed",
      error: { code: "review_refused", message: "A person did not accept the answer.", fails_run: true },
    };
  const { prompt, max_turns: turnsMax } = job.work.agent.definition;
  const verdict = checkAnswer(turn, {
    schemas: job.outputSchemas,
    confidenceThreshold: job.confidenceThreshold,
    reflect: () => renderPrompt(prompt.reflect ?? "", job.work),
    canReflect: prompt.reflect !== undefined && !state.reflected,
    reviewed: state.review === "accepted",
    degraded: state.degraded ?? false,
  });
  if (verdict.kind === "ended") return verdict.outcome;
  if (verdict.kind === "review") return sendToReview(context, job, verdict);
  if (context.memory.turnsOf(job.stepId).length >= turnsMax) {
    const message = verdict.violation?.problem ?? "The agent has no turn left to reflect.";
    return {
      kind: "failed",
      error: { code: verdict.violation?.code ?? "output_invalid", message, schema: job.outputSchemas.at(-1) },
      rawOutput: verdict.violation?.raw,
    };
  }
  remember(context, job, { review: null, ...(verdict.reflected ? { reflected: true } : {}) });
  return { role: "user", text: verdict.text };
}

/**
 * What people refused takes effect once: the step fails, a tool is withdrawn, or one last turn without tools follows.
 */
function afterRefusals(
  context: RunContext,
  job: AgentJob,
  { turn, state }: { turn: number; state: AgentState },
): StepOutcome | null {
  if ((state.settledTurn ?? 0) >= turn) return null;
  const last = context.memory.turnsOf(job.stepId).at(-1);
  const effects = last ? refusalEffects(context.memory, context.memory.callsOfTurn(last.id)) : [];
  const failed = effects.find(({ effect }) => effect.kind === "fail_step");
  if (failed?.effect.kind === "fail_step")
    return {
      kind: "failed",
      error: { code: failed.effect.code, message: failed.effect.message, call_id: failed.call.id },
    };
  if (effects.length === 0) return null;
  const withdrawn = effects
    .filter(({ effect }) => effect.kind === "withdraw_tool")
    .map(({ call }) => `${call.server}.${call.tool}`);
  remember(context, job, {
    settledTurn: turn,
    ...(withdrawn.length > 0 ? { withdrawn: [...new Set([...(state.withdrawn ?? []), ...withdrawn])] } : {}),
    ...(effects.some(({ effect }) => effect.kind === "degrade") ? { degraded: true } : {}),
  });
  return null;
}

/** The next turn's record writes it to the row; after a crash before that, the same refusals lead to the same state. */
function remember({ memory }: RunContext, job: AgentJob, change: AgentState): void {
  const step = stepOf(memory.snapshot, job.stepId);
  step.state = { ...step.state, ...change };
}

async function sendToReview(
  context: RunContext,
  job: AgentJob,
  { message, raw }: { message: string; raw: unknown },
): Promise<StepOutcome> {
  const { deps, writes } = context;
  const move = {
    stepId: job.stepId,
    key: job.stepKey,
    to: "needs_human_review",
    rawOutput: raw,
    error: { code: "needs_human", message },
  } as const;
  await writes.now({ kind: "step_moved", at: deps.now().toISOString(), move });
  return { kind: "waiting", waiting: [{ for: "review" }] };
}

function openingOf({ work, envelope }: AgentJob): ModelMessage[] {
  const template = work.agent.definition.prompt.user;
  const given =
    envelope === null
      ? plainParams(work.params)
      : Object.fromEntries(
          Object.entries(envelope).map(([name, values]) => [name, plainParams(values as Record<string, unknown>)]),
        );
  return [{ role: "user", text: template === undefined ? JSON.stringify(given) : renderPrompt(template, work) }];
}

function renderPrompt(template: string, work: AgentAtWork): string {
  const rendered = renderTemplate(template, { params: plainParams(work.params) });
  return typeof rendered === "string" ? rendered : JSON.stringify(rendered);
}

/** A model must not get a secret. */
function plainParams(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => listSecrets(value).length === 0));
}
