/**
 * Mastra, a workflow: model, tool and model are steps; the tool's step suspends, and `resume` from another process
 * carries the decision.
 */
import { Mastra } from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";
import { openAct } from "../act-server.mjs";
import { POOL_SIZE } from "../subject.mjs";

const askedFor = z.object({ tool: z.string(), text: z.string() });
const answer = z.object({ text: z.string() });

export async function open({ url, onAct }) {
  const act = await openAct(onAct);
  const storage = new PostgresStore({ id: "bench", connectionString: url, max: POOL_SIZE });
  await storage.init();
  const ask = createStep({
    id: "ask",
    inputSchema: answer,
    outputSchema: askedFor,
    execute: async () => ({ tool: "act", text: "act" }),
  });
  const runTool = createStep({
    id: "tool",
    inputSchema: askedFor,
    outputSchema: answer,
    resumeSchema: z.object({ approved: z.boolean() }),
    suspendSchema: z.object({ call: askedFor }),
    execute: async ({ inputData, resumeData, suspend }) => {
      if (!resumeData) return suspend({ call: inputData });
      return { text: resumeData.approved ? await act(inputData.text) : "rejected" };
    },
  });
  const end = createStep({
    id: "end",
    inputSchema: answer,
    outputSchema: answer,
    execute: async () => ({ text: "done" }),
  });
  const main = createWorkflow({ id: "main", inputSchema: answer, outputSchema: answer })
    .then(ask)
    .then(runTool)
    .then(end)
    .commit();
  const workflow = new Mastra({ workflows: { main }, storage, logger: false }).getWorkflow("main");
  const mustEnd = (result) => {
    if (result.status !== "success" || result.result.text !== "done")
      throw new Error(`the workflow did not end: ${result.status} ${result.error?.message ?? ""}`);
  };
  return {
    start: async () => {
      const run = await workflow.createRun();
      const { status } = await run.start({ inputData: { text: "Go." } });
      if (status !== "suspended") throw new Error(`the workflow did not pause: ${status}`);
      return run.runId;
    },
    decide: async (id) =>
      mustEnd(await (await workflow.createRun({ runId: id })).resume({ step: "tool", resumeData: { approved: true } })),
    recover: async (id) => {
      const result = await (await workflow.createRun({ runId: id })).restart();
      if (result.status === "suspended") return "asks";
      mustEnd(result);
      return "ended";
    },
    close: () => storage.close(),
  };
}
