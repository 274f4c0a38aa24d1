/**
 * Vercel AI SDK: `toolApproval` of `generateText`; the messages are stored in a table by our own code, as it has no
 * persistence of its own.
 */
import { generateText, isStepCount, tool } from "ai";
import pg from "pg";
import { z } from "zod";
import { openAct } from "../act-server.mjs";
import { scriptedModel } from "../ai-model.mjs";
import { POOL_SIZE } from "../subject.mjs";

export async function open({ url, onAct }) {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  await pool.query(
    "CREATE TABLE IF NOT EXISTS chats (id uuid PRIMARY KEY, status text NOT NULL, messages jsonb NOT NULL)",
  );
  const act = await openAct(onAct);
  const tools = {
    act: tool({ description: "Acts", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => act(text) }),
  };
  const generate = (messages) =>
    generateText({
      model: scriptedModel,
      tools,
      toolApproval: { act: "user-approval" },
      stopWhen: isStepCount(5),
      messages,
    });

  async function decide(id) {
    const { rows } = await pool.query("SELECT messages FROM chats WHERE id = $1", [id]);
    const { messages } = rows[0];
    const requests = messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "tool-approval-request");
    messages.push({
      role: "tool",
      content: requests.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved: true })),
    });
    const result = await generate(messages);
    if (result.text !== "done") throw new Error("the model did not end");
    await pool.query("UPDATE chats SET status = 'complete', messages = $2 WHERE id = $1", [
      id,
      JSON.stringify([...messages, ...result.responseMessages]),
    ]);
  }
  return {
    start: async () => {
      const id = crypto.randomUUID();
      const messages = [{ role: "user", content: "Go." }];
      const result = await generate(messages);
      await pool.query("INSERT INTO chats (id, status, messages) VALUES ($1, 'pending_approval', $2)", [
        id,
        JSON.stringify([...messages, ...result.responseMessages]),
      ]);
      return id;
    },
    decide,
    // The messages before the decision are stored.
    recover: async () => "asks",
    close: () => pool.end(),
  };
}
