/**
 * A model that plays turns from a file and needs no key. It keeps nothing between turns: which one is played follows
 * from the messages alone, so a restarted process or a replay gets the same answer to the same conversation.
 */
import { compile, type CompiledExpression, isTruthy } from "@/lib/config/jmespath";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { storableText } from "@/lib/text/tool-text";
import { checkArguments } from "./check-arguments";
import {
  type Json,
  type JsonObject,
  type Model,
  ModelError,
  type ModelRequest,
  type ModelTool,
  type ModelTurn,
  type ToolCallRequest,
} from "./model";
import { readContext, type ScriptContext, splitToolName } from "./script-context";
import type { AgentScript, Script, ScriptTurn } from "./script-schema";
import { sleep } from "./timing";

export interface ScriptedModelOptions {
  /** `provider/model-id`; conditions see it as `model`, so that one file can serve several models of a group. */
  id: string;
  /** Named in errors. */
  file: string;
  script: Script;
}

export function createScriptedModel(options: ScriptedModelOptions): Model {
  // Parsing an expression takes longer than everything else in a turn, and benchmarks ask for many turns.
  const expressions = new Map<string, CompiledExpression>();
  return {
    id: options.id,
    generate: async (request, signal) => {
      signal.throwIfAborted();
      const player = new Player(options, expressions, request);
      const turn = player.choose();
      if (turn.delay_ms) await sleep(turn.delay_ms, signal);
      return player.play(turn);
    },
  };
}

/** Plays one turn. Every error names script, agent and turn, because that is where the author has to look. */
class Player {
  readonly #id: string;
  readonly #file: string;
  readonly #script: AgentScript;
  readonly #context: ScriptContext;

  constructor(
    { id, file, script }: ScriptedModelOptions,
    private readonly expressions: Map<string, CompiledExpression>,
    private readonly request: ModelRequest,
  ) {
    this.#id = id;
    this.#file = file;
    const { agent } = request.metadata;
    const found = Object.hasOwn(script.agents, agent) ? script.agents[agent] : script.agents["*"];
    if (!found)
      throw new ModelError(
        { kind: "script", model: id },
        `The script ${file} has no agent ${JSON.stringify(agent)}; it has ${Object.keys(script.agents).join(", ")}.`,
      );
    this.#script = found;
    this.#context = readContext(id, found, request);
  }

  choose(): ScriptTurn {
    const { rules, turns, otherwise } = this.#script;
    const rule = rules.find(({ when }) => this.#holds(when));
    if (rule) return rule;
    const entry = turns[this.#context.turn - 1];
    const turn = entry?.branches ? entry.branches.find(({ when }) => when === undefined || this.#holds(when)) : entry;
    if (turn) return turn;
    if (otherwise) return otherwise;
    if (!entry) throw this.#refusal(`the script has no turn left (it has ${turns.length})`);
    throw this.#refusal(
      `no branch fits; the calls before it ended as ${JSON.stringify(this.#context.last.map(({ tool, status }) => `${tool}: ${status}`))}`,
    );
  }

  play(turn: ScriptTurn): ModelTurn {
    const { error } = turn;
    const isFailing =
      error !== undefined && (error.attempts === undefined || (this.request.metadata.attempt ?? 1) <= error.attempts);
    if (isFailing && error.kind !== "refused" && error.kind !== "cut") {
      const options = error.retry_after_ms === undefined ? {} : { retryAfterMs: error.retry_after_ms };
      throw new ModelError(
        { kind: error.kind, model: this.#id },
        `${this.#id} failed: ${error.kind} (${this.#place()}).`,
        options,
      );
    }
    const text = storableText(this.#renderText(turn));
    if (isFailing && error.kind === "refused")
      return this.#finish(turn, { text, toolCalls: [], finishReason: "refused" });
    if (isFailing)
      return this.#finish(turn, {
        text: text.slice(0, Math.floor(text.length / 2)).toWellFormed(),
        toolCalls: [],
        finishReason: "length",
      });
    const toolCalls = (turn.call ?? []).map((call, index) => this.#makeCall(call, index));
    return this.#finish(turn, { text, toolCalls, finishReason: toolCalls.length > 0 ? "tool_calls" : "stop" });
  }

  #renderText({ say, output }: ScriptTurn): string {
    if (output !== undefined) return JSON.stringify(this.#render(output));
    const text = this.#render(say ?? "");
    return typeof text === "string" ? text : JSON.stringify(text);
  }

  #makeCall(call: NonNullable<ScriptTurn["call"]>[number], index: number): ToolCallRequest {
    const name = call.unlisted ? call.tool : this.#findTool(call.tool);
    const args = this.#render(call.arguments) as JsonObject;
    return { id: `scripted-${this.#context.turn}-${index + 1}`, name, ...checkArguments(args, JSON.stringify(args)) };
  }

  #findTool(wanted: string): string {
    const isMeant = ({ name }: ModelTool) => {
      const { server, tool } = splitToolName(name);
      return name === wanted || tool === wanted || (server !== null && `${server}.${tool}` === wanted);
    };
    const [found, ...others] = this.request.tools.filter(isMeant).map(({ name }) => name);
    if (found === undefined) {
      const offered = this.request.tools.map(({ name }) => name).join(", ") || "none";
      throw this.#refusal(
        `the tool ${JSON.stringify(wanted)} is not offered (offered: ${offered}); \`unlisted: true\` asks for it all the same`,
      );
    }
    if (others.length > 0)
      throw this.#refusal(
        `the tool ${JSON.stringify(wanted)} is offered more than once; write one of ${[found, ...others].join(", ")}`,
      );
    return found;
  }

  #finish(turn: ScriptTurn, played: Omit<ModelTurn, "usage">): ModelTurn {
    const { system, messages } = this.request;
    const tokensIn = turn.usage?.tokens_in ?? countTokens(system + JSON.stringify(messages));
    const tokensOut =
      turn.usage?.tokens_out ??
      countTokens(played.text + played.toolCalls.map((call) => JSON.stringify(call.arguments)).join(""));
    return { ...played, usage: { tokensIn, tokensOut } };
  }

  #holds(when: string): boolean {
    try {
      const expression = this.expressions.get(when) ?? compile(when);
      this.expressions.set(when, expression);
      return isTruthy(expression.evaluate(this.#context));
    } catch (cause) {
      throw this.#refusal(`the condition ${JSON.stringify(when)} failed: ${(cause as Error).message}`, cause);
    }
  }

  #render(value: Json): Json {
    const { params, user, results, status, last } = this.#context;
    try {
      // The renderer accepts any root; its type lists only those that workflows have.
      return renderTemplate(value, { params, user, results, status, last } as TemplateScope) as Json;
    } catch (cause) {
      throw this.#refusal((cause as Error).message, cause);
    }
  }

  #place(): string {
    return `script ${this.#file}, agent ${this.#context.agent}, turn ${this.#context.turn}`;
  }

  #refusal(problem: string, cause?: unknown): ModelError {
    return new ModelError(
      { kind: "script", model: this.#id },
      `Script ${this.#file}, agent ${this.#context.agent}, turn ${this.#context.turn}: ${problem}.`,
      { cause },
    );
  }
}

function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
