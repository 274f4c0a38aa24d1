import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startRun } from "@/lib/runs/start-run";
import { useDatabase } from "@/lib/testing/database";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { openRunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

/** Three typical servers: kinds of objects, and what can be done with each. */
const THINGS = {
  crm: ["customer", "contact", "deal", "ticket", "note", "campaign"],
  shop: ["order", "refund", "shipment", "voucher", "invoice", "product"],
  wiki: ["page", "comment", "attachment", "template", "space"],
};
const VERBS = ["find", "list", "create", "update", "archive", "export"];
type ServerName = keyof typeof THINGS;
const SERVERS = Object.keys(THINGS) as ServerName[];

function listTools(server: ServerName): Tool[] {
  return THINGS[server].flatMap((thing) =>
    VERBS.map((verb): Tool => ({
      name: `${server}-${verb}-${thing}`,
      description: `Use this to ${verb} one ${thing} or several of them. Times are in UTC; what is not given stays as it is.`,
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: `Id of the ${thing}, as another tool of this server gave it` },
          filter: {
            type: "object",
            properties: { field: { type: "string", enum: ["name", "state", "owner"] }, value: { type: "string" } },
            required: ["field", "value"],
          },
          limit: { type: "integer", minimum: 1, maximum: 200, default: 20, description: "How many at most" },
        },
        required: ["id"],
      },
      annotations: { readOnlyHint: verb === "find" || verb === "list" },
    })),
  );
}

/** What the provider gets under `tools` on the first turn. */
async function firstTools(hasToolsets: boolean): Promise<unknown[]> {
  const provider = await startChatServer();
  provider.reply(chatAnswer({ content: "done" }));
  const recorders = await Promise.all(
    SERVERS.map((server) => startRecordingServer({ name: server, tools: listTools(server) })),
  );
  const files: Record<string, string> = {
    "gateway.yaml": JSON.stringify({
      providers: [{ name: "local", type: "openai-compatible", config: { base_url: `${provider.url}/v1` } }],
      model_groups: [{ name: "standard", models: ["local/m"] }],
    }),
    "agents/worker.agent.yaml": JSON.stringify({
      name: "worker",
      model: "standard",
      prompt: { system: "Work.", user: "Go." },
      servers: SERVERS.map((name) => ({
        name,
        path: `servers/${name}.server.yaml`,
        access: { allowlist: [`${name}-*`] },
      })),
    }),
    "workflows/main.workflow.yaml": JSON.stringify({
      kind: "workflow",
      name: "main",
      pipeline: [{ id: "work", agent: "./agents/worker.agent.yaml" }],
    }),
  };
  for (const [index, name] of SERVERS.entries())
    files[`servers/${name}.server.yaml`] = JSON.stringify({
      name,
      url: recorders[index]!.url,
      ...(hasToolsets ? { toolset: name } : {}),
    });
  const { deps, advance } = await openRunBench(database, files);
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  await advance(runId);
  await Promise.all([provider.close(), ...recorders.map((recorder) => recorder.close())]);
  return provider.requests[0]?.body.tools as unknown[];
}

test(verifies("toolsets:size", "the first turn sends at most a fifth of a hundred tools"), async () => {
  const everything = await firstTools(false);
  const onDemand = await firstTools(true);
  expect(everything.length).toBeGreaterThanOrEqual(100);
  expect(onDemand.length).toBeGreaterThan(0);
  expect(JSON.stringify(onDemand).length * 5).toBeLessThanOrEqual(JSON.stringify(everything).length);
});
