/**
 * OpenAI Agents JS: `needsApproval` on the tool; the run's state is kept as text in a table, read back and resumed, as
 * its guide shows.
 */
import { Agent, Runner, RunState, tool } from "@openai/agents";
import pg from "pg";
import { z } from "zod";
import { openAct } from "../act-server.mjs";
import { POOL_SIZE } from "../subject.mjs";

const usage = { requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const call = { type: "function_call", callId: "call_1", name: "act", status: "completed", arguments: '{"text":"act"}' };
const answer = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done" }],
};
const model = {
  getResponse: async ({ input }) => ({
    usage,
    output: [Array.isArray(input) && input.at(-1).type === "function_call_result" ? answer : call],
  }),
  getStreamedResponse: () => {
    throw new Error("not asked for");
  },
};

export async function open({ url, onAct }) {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  await pool.query(
    "CREATE TABLE IF NOT EXISTS agent_runs (id uuid PRIMARY KEY, status text NOT NULL, state text NOT NULL)",
  );
  const act = await openAct(onAct);
  const agent = new Agent({
    name: "worker",
    instructions: "Work.",
    model,
    tools: [
      tool({
        name: "act",
        description: "Acts",
        parameters: z.object({ text: z.string() }),
        needsApproval: true,
        execute: ({ text }) => act(text),
      }),
    ],
  });
  const runner = new Runner({ tracingDisabled: true });

  async function decide(id) {
    const { rows } = await pool.query("SELECT state FROM agent_runs WHERE id = $1", [id]);
    const state = await RunState.fromString(agent, rows[0].state);
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    const result = await runner.run(agent, state);
    if (result.finalOutput !== "done") throw new Error("the agent did not end");
    await pool.query("UPDATE agent_runs SET status = 'complete', state = $2 WHERE id = $1", [
      id,
      result.state.toString(),
    ]);
  }
  return {
    start: async () => {
      const id = crypto.randomUUID();
      const result = await runner.run(agent, "Go.");
      if (result.interruptions.length !== 1) throw new Error("the agent did not ask for approval");
      await pool.query("INSERT INTO agent_runs (id, status, state) VALUES ($1, 'pending_approval', $2)", [
        id,
        result.state.toString(),
      ]);
      return id;
    },
    decide,
    // The state before the decision is stored.
    recover: async () => "asks",
    close: () => pool.end(),
  };
}
