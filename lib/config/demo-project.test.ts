/**
 * The demo is the first thing a newcomer sees: it must load, use every kind of rule, and its runs must reach their end.
 */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openShopStore } from "@/lib/demo/shop-store";
import { SHOP_TOOLS } from "@/lib/demo/shop-tools";
import type { Json, JsonObject, ModelMessage, ToolResultStatus } from "@/lib/models/model";
import { getScript } from "@/lib/models/parse-script";
import { createScriptedModel } from "@/lib/models/scripted-model";
import { readFileSync } from "node:fs";
import { createSchemaValidator } from "./json-schema";
import { getProject } from "./load-project";
import { requireApprovalSchema } from "./permission-schema";
import { renderTemplate } from "./template";

const ROOT = path.resolve(import.meta.dirname, "../../kimitsu");
const project = getProject(ROOT, { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} });
const script = "models/support.script.yaml";
const model = createScriptedModel({
  id: "demo/support",
  file: script,
  script: getScript(script, readFileSync(path.join(ROOT, script), "utf8")),
});

/** Plays one agent against the real tools of the shop; `decide` says how each call ends. */
async function play(
  agentName: "triage" | "clerk",
  params: JsonObject,
  store: ReturnType<typeof openShopStore>,
  decide: (tool: string) => ToolResultStatus,
): Promise<JsonObject> {
  const agent = project.agents[agentName]!;
  const allowed = agent.definition.servers[0]!.access!.allowlist.map((entry) =>
    typeof entry === "string" ? entry : entry.name,
  );
  const tools = SHOP_TOOLS.filter((tool) => allowed.includes(tool.name)).map(({ name }) => ({
    name: `mcp__shop__${name}`,
    description: "",
    inputSchema: { type: "object" },
  }));
  const messages: ModelMessage[] = [
    { role: "user", text: String(renderTemplate(agent.definition.prompt.user, { params })) },
  ];
  for (let turn = 1; turn <= agent.definition.max_turns; turn += 1) {
    const played = await model.generate(
      {
        system: "",
        messages,
        tools,
        maxTokens: null,
        temperature: null,
        metadata: { agent: agentName, runId: "run_1", stepId: "step_1", turn },
      },
      new AbortController().signal,
    );
    if (played.toolCalls.length === 0) return JSON.parse(played.text) as JsonObject;
    const results = played.toolCalls.map(({ id, name, arguments: args }) => {
      const tool = SHOP_TOOLS.find((candidate) => name.endsWith(`__${candidate.name}`))!;
      const status = decide(tool.name);
      const output: Json =
        status === "succeeded" ? (tool.run(store, tool.input.parse(args) as never, new Date()) as Json) : { status };
      return { callId: id, name, status, output };
    });
    messages.push({ role: "assistant", text: played.text, toolCalls: played.toolCalls }, { role: "tool", results });
  }
  throw new Error("the agent did not conclude");
}

function expectToFit(agentName: string, output: JsonObject): void {
  const validate = createSchemaValidator().compile(project.agents[agentName]!.definition.output!.schema);
  expect(validate(output), JSON.stringify(validate.errors)).toBe(true);
}

describe("every ticket can be played to its end", () => {
  const tickets = ["T-310", "T-311", "T-312", "T-313", "T-314", "T-315", "T-316", "T-317", "T-999"];
  it.each(
    tickets.flatMap((ticket) =>
      (["succeeded", "rejected", "expired", "denied"] as const).map((status) => [ticket, status] as const),
    ),
  )("%s, calls that wait for a person are %s", async (ticket, status) => {
    const store = openShopStore(undefined);
    const findings = await play("triage", { ticket_id: ticket }, store, () => "succeeded");
    expectToFit("triage", findings);
    if (findings.category === "not_found") return;
    const result = await play("clerk", { findings }, store, (tool) =>
      tool === "issue-refund" || tool === "delete-customer" ? status : "succeeded",
    );
    expectToFit("clerk", result);
    const asks = ["double_charge", "returned", "privacy"].includes(String(findings.category));
    expect(result.done).toBe(!asks || status === "succeeded");
  });

  it("a refund that was booked is not asked for again", async () => {
    const store = openShopStore(undefined);
    const first = await play("triage", { ticket_id: "T-310" }, store, () => "succeeded");
    expect(first).toMatchObject({ category: "double_charge", refund_due: 196.5, currency: "EUR" });
    await play("clerk", { findings: first }, store, () => "succeeded");
    expect(await play("triage", { ticket_id: "T-310" }, store, () => "succeeded")).toMatchObject({
      category: "other",
      refund_due: 0,
    });
  });
});

it("every field of require_approval is used at least once", () => {
  const text = readFileSync(path.join(ROOT, "agents/clerk.agent.yaml"), "utf8");
  const unused = Object.keys(requireApprovalSchema.shape).filter(
    (field) => !new RegExp(`^ +${field}:`, "m").test(text),
  );
  expect(unused).toEqual([]);
});

it("one person alone may approve everything but one call, which names a group and its members", () => {
  const rules = project.agents.clerk!.definition.servers[0]!.access!.allowlist.flatMap((entry) =>
    typeof entry === "string" ? [] : [[entry.name, entry.require_approval!] as const],
  );
  expect(rules.filter(([, rule]) => !rule.self_approval).map(([name, rule]) => [name, rule.approvers])).toEqual([
    ["delete-customer", ["privacy"]],
  ]);
  expect(project.policy?.groups.privacy?.description).toBeTruthy();
});
