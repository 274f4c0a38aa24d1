/** LangGraph JS with its Postgres checkpointer: a model turn that asks for a tool, a pause in Postgres, the approval, the tool, a last turn. */
import { Annotation, Command, interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import pg from "pg";
import { measure, cost } from "./measure.mjs";

const [url, plan] = [process.env.DATABASE_URL, JSON.parse(process.argv[2])];
const pool = new pg.Pool({ connectionString: url, max: 20 });
const checkpointer = new PostgresSaver(pool);
await checkpointer.setup();

const State = Annotation.Root({ ...MessagesAnnotation.spec });
const graph = new StateGraph(State)
  .addNode("model", ({ messages }) =>
    messages.at(-1) instanceof ToolMessage
      ? { messages: [new AIMessage("done")] }
      : { messages: [new AIMessage({ content: "I act.", tool_calls: [{ id: "call_1", name: "act", args: { text: "act" } }] })] },
  )
  .addNode("tool", ({ messages }) => {
    const [call] = messages.at(-1).tool_calls;
    const decision = interrupt({ call });
    return { messages: [new ToolMessage({ tool_call_id: call.id, content: decision.approved ? "acted" : "rejected" })] };
  })
  .addEdge("__start__", "model")
  .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tool" : "__end__"))
  .addEdge("tool", "model")
  .compile({ checkpointer });

async function cycle() {
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  await graph.invoke({ messages: [{ role: "user", content: "Go." }] }, config);
  const decidedAt = performance.now();
  const end = await graph.invoke(new Command({ resume: { approved: true } }), config);
  if (end.messages.at(-1).content !== "done") throw new Error("the graph did not end");
  return performance.now() - decidedAt;
}

const client = new pg.Client({ connectionString: url });
await client.connect();
await measure({ cycle, count: plan.warmUp, concurrency: 8 });
const results = [];
for (const { concurrency, count } of plan.rounds) results.push(await cost(client, count, () => measure({ cycle, count, concurrency })));
console.log(JSON.stringify(results));
await client.end();
await pool.end();
