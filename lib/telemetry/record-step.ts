/**
 * Steps, agents, turns of models and calls of tools, recorded in metrics and traces as they happen. The names are those
 * of OpenTelemetry's conventions for generative AI.
 */
import { SpanKind } from "@opentelemetry/api";
import { metrics } from "./metrics";
import { markFailed, tracing, withSpan } from "./span";

interface StepOutcome {
  kind: string;
  error?: { code: string };
}

export function followStep<T extends StepOutcome>(
  step: { id: string; key: string; kind: string },
  work: () => Promise<T>,
): Promise<T> {
  return followOutcome(
    `step ${step.key}`,
    { "kimitsu.step.id": step.id, "kimitsu.step.key": step.key, "kimitsu.step.kind": step.kind },
    work,
  );
}

export function followAgent<T extends StepOutcome>(
  agent: { name: string; stepId: string },
  work: () => Promise<T>,
): Promise<T> {
  return followOutcome(
    `invoke_agent ${agent.name}`,
    { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent.name, "kimitsu.step.id": agent.stepId },
    work,
  );
}

function followOutcome<T extends StepOutcome>(
  name: string,
  attributes: Record<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing()) return work();
  return withSpan({ name, attributes }, async (span) => {
    const outcome = await work();
    span.setAttribute("kimitsu.step.outcome", outcome.kind);
    if (outcome.kind === "failed") markFailed(span, outcome.error?.code ?? "failed");
    return outcome;
  });
}

interface Turn {
  model: string;
  turn: { finishReason: string };
  usage: { tokensIn: number; tokensOut: number };
  costUsd: number;
  attempts: readonly { model: string; outcome: string; durationMs: number }[];
}

interface TurnFacts {
  group: string;
  agent: string;
  runId: string;
  number: number;
  maxTokens: number | null;
  temperature: number | null;
  /** The kind of a provider by its name in gateway.yaml. */
  kindOf: (provider: string) => string | undefined;
}

/** One turn, with all tries that it took; the model that answered gives the span its name. */
export async function followTurn<T extends Turn>(facts: TurnFacts, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.conversation.id": facts.runId,
    "gen_ai.agent.name": facts.agent,
    "kimitsu.model.group": facts.group,
    "kimitsu.turn": facts.number,
    ...(facts.maxTokens === null ? {} : { "gen_ai.request.max_tokens": facts.maxTokens }),
    ...(facts.temperature === null ? {} : { "gen_ai.request.temperature": facts.temperature }),
  };
  return withSpan({ name: `chat ${facts.group}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
    const answer = await work().catch((error: unknown) => {
      metrics().modelSeconds.observe({ model: facts.group, outcome: "failed" }, seconds());
      throw error;
    });
    const { model, usage } = answer;
    metrics().modelSeconds.observe({ model, outcome: "succeeded" }, seconds());
    metrics().tokens.inc({ model, direction: "in" }, usage.tokensIn);
    metrics().tokens.inc({ model, direction: "out" }, usage.tokensOut);
    metrics().cost.inc({ model }, answer.costUsd);
    if (!span.isRecording()) return answer;
    const provider = model.slice(0, model.indexOf("/"));
    const name = model.slice(provider.length + 1);
    span.updateName(`chat ${name}`).setAttributes({
      "gen_ai.provider.name": facts.kindOf(provider) ?? provider,
      "gen_ai.request.model": name,
      "gen_ai.response.finish_reasons": [answer.turn.finishReason],
      "gen_ai.usage.input_tokens": usage.tokensIn,
      "gen_ai.usage.output_tokens": usage.tokensOut,
      "kimitsu.cost_usd": answer.costUsd,
    });
    for (const attempt of answer.attempts)
      span.addEvent("attempt", {
        "kimitsu.model": attempt.model,
        "kimitsu.outcome": attempt.outcome,
        "kimitsu.duration_ms": attempt.durationMs,
      });
    return answer;
  });
}

interface Call {
  id: string;
  server: string;
  tool: string;
}

interface CallOutcome {
  kind: "answered" | "not_sent" | "unknown";
  reason?: string;
  result?: { is_error: boolean };
}

/**
 * One sending of one call, from the search for a connection to the answer. The span that is active inside is the parent
 * of the server's spans.
 */
export async function followToolCall<T extends CallOutcome>(call: Call, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.tool,
    "gen_ai.tool.call.id": call.id,
    "gen_ai.tool.type": "extension",
    "mcp.method.name": "tools/call",
    "kimitsu.server": call.server,
  };
  return withSpan({ name: `execute_tool ${call.tool}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
    const result = await work();
    const outcome = result.kind !== "answered" ? result.kind : result.result?.is_error ? "failed" : "succeeded";
    metrics().toolSeconds.observe({ server: call.server, outcome }, (performance.now() - startedAt) / 1000);
    span.setAttribute("kimitsu.call.outcome", outcome);
    if (outcome !== "succeeded") markFailed(span, outcome === "failed" ? "tool_error" : (result.reason ?? outcome));
    return result;
  });
}

export async function followWebhook<T extends { status: string; error: { code: string } | null }>(
  call: { id: string; method: string },
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  return withSpan(
    {
      name: `webhook ${call.method}`,
      kind: SpanKind.CLIENT,
      attributes: { "http.request.method": call.method, "kimitsu.call.id": call.id },
    },
    async (span) => {
      const sent = await work();
      const outcome = sent.status === "outcome_unknown" ? "unknown" : sent.status;
      metrics().toolSeconds.observe({ server: "kimitsu/webhook", outcome }, (performance.now() - startedAt) / 1000);
      span.setAttribute("kimitsu.call.outcome", outcome);
      if (sent.error) markFailed(span, sent.error.code);
      return sent;
    },
  );
}
