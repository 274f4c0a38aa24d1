/** What a script can read: the conversation so far, under short names. Built again for every turn. */
import type { AgentScript } from "./script-schema";
import type { Json, JsonObject, ModelMessage, ModelRequest, ToolCallRequest } from "./model";

/** The names that may follow `{{`; conditions see these and `model`, `agent`, `turn`, `tools` and `history`. */
export const SCRIPT_ROOTS = ["params", "user", "results", "status", "last"] as const;

export type SeenCall = {
  /** Without the server, as in `orders-read`. */
  tool: string;
  server: string | null;
  arguments: JsonObject;
  status: string;
  output: Json;
};

export type ScriptContext = {
  model: string;
  agent: string;
  /** 1 for the first turn. Counted from the conversation, so it survives a restart. */
  turn: number;
  /** Names of the offered tools, without their servers; empty on a turn that must conclude. */
  tools: string[];
  /** `text` is the first message, `latest` the newest, `json` the first JSON value found in `text`. */
  user: { text: string; latest: string; json: Json };
  /** Fields of `user.json`, and what the script's `params` read from `user.text`. */
  params: JsonObject;
  /** Newest output by tool, under `orders-read` and `shop.orders-read`. */
  results: JsonObject;
  /** Newest status by tool, under the same names. */
  status: JsonObject;
  /** Calls of the turn before, in their order; empty when it made none. */
  last: SeenCall[];
  /** All calls so far. */
  history: SeenCall[];
};

export function readContext(model: string, script: AgentScript, request: ModelRequest): ScriptContext {
  const texts = request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
  const text = texts[0] ?? "";
  const json = findJson(text);
  const history = listCalls(request.messages);
  const count = request.messages.filter(({ role }) => role === "assistant").length;
  const newest = request.messages.at(-1);
  return {
    model,
    agent: request.metadata.agent,
    turn: count + 1,
    tools: request.tools.map(({ name }) => splitToolName(name).tool),
    user: { text, latest: texts.at(-1) ?? "", json },
    params: { ...(isObject(json) ? json : {}), ...readParams(script.params, text) },
    results: byTool(history, ({ output }) => output),
    status: byTool(history, ({ status }) => status),
    last: newest?.role === "tool" ? history.slice(history.length - newest.results.length) : [],
    history,
  };
}

/** `mcp__shop__orders-read` is the tool `orders-read` of the server `shop`; other names have no server. */
export function splitToolName(name: string): { server: string | null; tool: string } {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? { server, tool } : { server: null, tool: name };
}

function listCalls(messages: readonly ModelMessage[]): SeenCall[] {
  const asked = new Map<string, ToolCallRequest>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.toolCalls) asked.set(call.id, call);
  }
  return messages
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .map(({ callId, name, status, output }) => ({
      ...splitToolName(name),
      arguments: asked.get(callId)?.arguments ?? {},
      status,
      output: readOutput(output),
    }));
}

/** Tools mostly answer in text, and that text is mostly JSON; scripts want its fields. */
function readOutput(output: Json): Json {
  if (typeof output === "string") return parseJson(output) ?? output;
  if (!isObject(output) || typeof output.success !== "boolean") return output;
  // The common shape of tool results: the structured part when there is one, otherwise the text.
  if (output.structured_content !== undefined && output.structured_content !== null) return output.structured_content;
  return typeof output.output === "string" ? (parseJson(output.output) ?? output.output) : output;
}

function byTool(calls: readonly SeenCall[], read: (call: SeenCall) => Json): JsonObject {
  const entries = calls.flatMap((call): [string, Json][] => {
    const value = read(call);
    return call.server === null
      ? [[call.tool, value]]
      : [
          [call.tool, value],
          [`${call.server}.${call.tool}`, value],
        ];
  });
  return Object.fromEntries(entries);
}

function readParams(patterns: Record<string, string>, text: string): JsonObject {
  const found: JsonObject = {};
  for (const [name, pattern] of Object.entries(patterns)) {
    const match = new RegExp(pattern, "u").exec(text);
    if (match) found[name] = match[1] ?? match[0];
  }
  return found;
}

/** The whole text, or what is between its first opening and its last closing brace or bracket. */
function findJson(text: string): Json {
  const whole = parseJson(text.trim());
  if (whole !== undefined) return whole;
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return (start >= 0 && end > start ? parseJson(text.slice(start, end + 1)) : undefined) ?? null;
}

/**
 * What a JSON text can begin with. Most of these texts are prose, and a thrown and caught error costs more than the
 * rest of a turn.
 */
const JSON_START = /^\s*[[{"\-\dtfn]/;

function parseJson(text: string): Json | undefined {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
