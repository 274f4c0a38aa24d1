/**
 * Mastra, an agent: `requireApproval` on the tool, the snapshot of its pause in Postgres, `approveToolCallGenerate` for
 * the decision.
 */
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";
import { openAct } from "../act-server.mjs";
import { scriptedModel } from "../ai-model.mjs";
import { POOL_SIZE } from "../subject.mjs";

export async function open({ url, onAct }) {
  const act = await openAct(onAct);
  const storage = new PostgresStore({ id: "bench", connectionString: url, max: POOL_SIZE });
  await storage.init();
  const worker = new Agent({
    id: "worker",
    name: "worker",
    instructions: "Work.",
    model: scriptedModel,
    tools: {
      act: createTool({
        id: "act",
        description: "Acts",
        inputSchema: z.object({ text: z.string() }),
        requireApproval: true,
        execute: ({ text }) => act(text),
      }),
    },
  });
  const agent = new Mastra({ agents: { worker }, storage, logger: false }).getAgent("worker");

  async function decide(id) {
    const result = await agent.approveToolCallGenerate({ runId: id, toolCallId: "call_1" });
    if (result.text !== "done") throw new Error("the agent did not end");
  }
  return {
    start: async () => {
      const { runId, finishReason } = await agent.generate("Go.");
      if (finishReason !== "suspended") throw new Error(`the agent did not ask for approval: ${finishReason}`);
      return runId;
    },
    decide,
    // The snapshot of the pause is still there.
    recover: async (id) => {
      const { runs } = await agent.listSuspendedRuns();
      if (!runs.some(({ runId }) => runId === id)) throw new Error("the run is not among the suspended ones");
      return "asks";
    },
    close: () => storage.close(),
  };
}
