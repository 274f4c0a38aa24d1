/**
 * What a model is sent of the tools of three public servers on its first turn: exactly the bytes that a provider
 * receives. Prints one line of JSON.
 */
import path from "node:path";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { startRun } from "@/lib/runs/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { describeMetaTools } from "@/lib/proxy/meta/meta-tools";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import { advance, ACT_PROJECT, openKimitsu } from "./kimitsu-runtime";
import { remoteModel } from "./growth-projects";

const ROOT = process.cwd();
const SERVERS = [
  {
    name: "github",
    toolset: "code",
    args: [path.join(ROOT, "bench/node_modules/@modelcontextprotocol/server-github/dist/index.js")],
  },
  {
    name: "playwright",
    toolset: "browser",
    args: [
      path.join(ROOT, "bench/node_modules/@playwright/mcp/cli.js"),
      "--caps=vision,pdf,testing,tracing,storage,network,devtools,config",
    ],
  },
  {
    name: "everything",
    toolset: "samples",
    args: [path.join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
  },
];

function project(url: string, toolsets: string[] | null): Record<string, string> {
  const files = remoteModel(url);
  for (const { name, toolset, args } of SERVERS)
    files[`servers/${name}.server.yaml`] = JSON.stringify({
      name,
      transport: "stdio",
      command: process.execPath,
      args,
      ...(toolsets ? { toolset } : {}),
    });
  const servers = SERVERS.map(({ name }) => ({ name, path: `servers/${name}.server.yaml` }));
  files["agents/worker.agent.yaml"] = JSON.stringify({
    name: "worker",
    model: "standard",
    prompt: { system: "Work.", user: "Go." },
    servers,
    ...(toolsets ? { toolsets: toolsets.map((each) => ({ name: each, write: true })) } : {}),
  });
  return { ...ACT_PROJECT, ...files };
}

async function readFirstTurn(url: string, toolsets: string[] | null): Promise<unknown[]> {
  const provider = await startChatServer();
  provider.reply(chatAnswer({ content: "done" }));
  const { deps, close } = await openKimitsu({
    url,
    files: project(provider.url, toolsets),
    stdio: { env: { PATH: processVariables().PATH ?? "" } },
  });
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
  await advance(deps, createId("worker"), runId);
  const [request] = provider.requests;
  if (!request) throw new Error("the model was not asked");
  await close();
  await provider.close();
  return (request.body.tools ?? []) as unknown[];
}

interface ProviderTool {
  function: { name: string; description?: string; parameters: unknown };
}

/** The same tools as an MCP client lists them, in both modes of a profile. */
function listForClients(everything: ProviderTool[], servers: string[]) {
  const clientTools = everything.map(({ function: { name, description, parameters } }) => ({
    name: name.replace(/^mcp__/, ""),
    description,
    inputSchema: parameters,
  }));
  return { clientTools, clientMeta: describeMetaTools(servers) };
}

const url = processVariables().DATABASE_URL ?? "";
const everything = await readFirstTurn(url, null);
const onDemand = await readFirstTurn(url, []);
const oneLoaded = await readFirstTurn(url, ["code"]);
const servers = SERVERS.map(({ name }) => name);
console.log(
  JSON.stringify({
    servers,
    everything,
    onDemand,
    oneLoaded,
    ...listForClients(everything as ProviderTool[], servers),
  }),
);
process.exit(0);
