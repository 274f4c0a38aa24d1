/** The MCP server that one client talks to: for one request in the current era, for one session in the older one. */
import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { answerCall, type Patience } from "@/lib/proxy/answer-call";
import { addTasks } from "@/lib/proxy/serve-tasks";
import { exchangeOf } from "@/lib/proxy/exchange";
import type { ExportedTool, ListedTool } from "@/lib/proxy/list-exported-tools";
import type { McpClient } from "@/lib/proxy/mcp-client";
import { answerOwnTool, isOwnTool } from "@/lib/proxy/own-tools";
import { openPassThrough, type PassThrough } from "@/lib/proxy/pass-through";
import type { Answer } from "@/lib/proxy/rules/answers";
import { instructionsOf } from "@/lib/proxy/rules/instructions";
import { TASKS_EXTENSION } from "@/lib/proxy/rules/tasks";
import type { ToolView } from "@/lib/proxy/tool-view";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { PASSED_METHODS, type PassedMethod } from "@/lib/tools/ask-server";

const SERVER_INFO = { name: "kimitsu", title: "Kimitsu", version: "1.0.0" };
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

type Era = "modern" | "legacy";

/** Hands the SDK the schema of the tool that is called, by which it compares `Mcp-Param-*` headers with the body. */
class ClientServer extends McpServer {
  calledTool: ExportedTool | null = null;

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.calledTool?.name === name ? this.calledTool.listed.inputSchema : undefined;
  }
}

export interface ServerParts {
  client: McpClient;
  view: ToolView;
  era: Era;
  /** The tool that the request calls, if it is known before; only for its headers. */
  calledTool?: ExportedTool | null;
}

export async function buildServer({ client, view, era, calledTool = null }: ServerParts): Promise<McpServer> {
  const passed = await openPassThrough(client.deps, client.profile);
  const product = new ClientServer(SERVER_INFO, {
    capabilities: capabilitiesOf(passed, era),
    instructions: instructionsOf(client.profile.definition),
  });
  product.calledTool = calledTool;
  const { server } = product;
  server.onerror = (error) => log.debug({ err: error, token_id: client.caller.token.id }, "an MCP request failed");
  server.setRequestHandler("tools/list", async () => ({ tools: (await view.list()).map((tool) => toWire(tool, era)) }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const answer = await callTool(client, { view, era, passed }, { params, ctx });
    // Blocks are the server's own: their form is the client's to check.
    return answer as CallToolResult;
  });
  for (const method of PASSED_METHODS) if (isOffered(passed, method)) passOn(product, passed, method);
  addTasks(server, client, era);
  return product;
}

/** Only a tool that may wait for a person is worth a task. */
function toWire({ listed, mayAsk }: { listed: ListedTool; mayAsk: boolean }, era: Era) {
  return era === "legacy" && mayAsk ? { ...listed, execution: { taskSupport: "optional" as const } } : listed;
}

function capabilitiesOf({ features }: PassThrough, era: Era) {
  return {
    tools: { listChanged: true },
    ...(features.resources && { resources: {} }),
    ...(features.prompts && { prompts: {} }),
    ...(features.completions && { completions: {} }),
    ...(features.logging && { logging: {} }),
    ...(era === "modern"
      ? { extensions: { [TASKS_EXTENSION]: {} } }
      : { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } }),
  };
}

function isOffered({ features }: PassThrough, method: PassedMethod): boolean {
  if (method.startsWith("resources/")) return features.resources;
  return method.startsWith("prompts/") ? features.prompts : features.completions;
}

/** `_meta` of the client stays here: it may hold what concerns the client and Kimitsu alone. */
function passOn({ server }: McpServer, passed: PassThrough, method: PassedMethod): void {
  server.setRequestHandler(method, async (request, ctx) => {
    const { _meta: _own, ...params } = (request.params ?? {}) as Record<string, unknown>;
    const answer = await translate(() => passed.ask(method, params, ctx.mcpReq.signal));
    return answer as never;
  });
}

/** A refusal of ours in the protocol's words. */
async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    const isClients = error.httpStatus < 500;
    throw new ProtocolError(
      isClients ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      error.message,
    );
  }
}

interface CallRequest {
  params: { name: string; arguments?: Record<string, unknown> | undefined; task?: unknown };
  ctx: ServerContext;
}

async function callTool(
  client: McpClient,
  { view, era, passed }: { view: ToolView; era: Era; passed: PassThrough },
  { params, ctx }: CallRequest,
): Promise<Answer | Record<string, unknown>> {
  const { name, arguments: args = {} } = params;
  const exchange = exchangeOf(ctx);
  if (isOwnTool(name)) return exchange.hold(() => answerOwnTool(client, { name, args }, exchange));
  const found = await view.find(name, args);
  if ("answer" in found) return found.answer;
  const { server, definition } = found.tool;
  const given = found.arguments;
  const answer = await translate(() =>
    exchange.hold(() =>
      answerCall(
        client,
        { server, tool: definition.name, arguments: given },
        { patience: patienceOf(ctx, era, params), exchange },
      ),
    ),
  );
  return withClientUris(answer, (uri) => passed.toClientUri(server, uri));
}

/** By what the client declared for this request, never by its name. */
function patienceOf(ctx: ServerContext, era: Era, params: CallRequest["params"]): Patience {
  const declared = (ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CAPABILITIES_KEY] as
    | { extensions?: Record<string, unknown> }
    | undefined;
  if (era === "modern" && declared?.extensions?.[TASKS_EXTENSION] !== undefined) return { kind: "task_extension" };
  if (era === "legacy" && params.task !== undefined) return { kind: "task_param" };
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { kind: "plain" };
  return {
    kind: "progress",
    notify: (progress, message) =>
      void ctx.mcpReq
        .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
        .catch(() => {}),
  };
}

/** Resources in a tool's result are read by the address under which the client knows them. */
function withClientUris(answer: Answer | Record<string, unknown>, toUri: (uri: string) => string) {
  if (!Array.isArray(answer.content)) return answer;
  const content = (answer.content as Record<string, unknown>[]).map((block) => {
    if (block.type === "resource_link" && typeof block.uri === "string") return { ...block, uri: toUri(block.uri) };
    const resource = block.resource as { uri?: unknown } | undefined;
    if (block.type !== "resource" || typeof resource?.uri !== "string") return block;
    return { ...block, resource: { ...resource, uri: toUri(resource.uri) } };
  });
  return { ...answer, content };
}
