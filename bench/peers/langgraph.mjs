/**
 * LangGraph JS: a graph with the Postgres checkpointer, `interrupt()` before the tool, `Command({ resume })` for the
 * decision.
 */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, Command, interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { openAct } from "../act-server.mjs";
import { POOL_SIZE } from "../subject.mjs";

export async function open({ url, onAct }, durability = "async") {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  const checkpointer = new PostgresSaver(pool);
  await checkpointer.setup();
  const act = await openAct(onAct);

  const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec }))
    .addNode("model", ({ messages }) =>
      messages.at(-1) instanceof ToolMessage
        ? { messages: [new AIMessage("done")] }
        : {
            messages: [
              new AIMessage({ content: "I act.", tool_calls: [{ id: "call_1", name: "act", args: { text: "act" } }] }),
            ],
          },
    )
    .addNode("tool", async ({ messages }) => {
      const [call] = messages.at(-1).tool_calls;
      const { approved } = interrupt({ call });
      return {
        messages: [
          new ToolMessage({ tool_call_id: call.id, content: approved ? await act(call.args.text) : "rejected" }),
        ],
      };
    })
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tool" : "__end__"))
    .addEdge("tool", "model")
    .compile({ checkpointer });

  const thread = (id) => ({ configurable: { thread_id: id }, durability });
  const hasEnded = ({ messages }) => messages.at(-1).content === "done";
  return {
    start: async () => {
      const id = crypto.randomUUID();
      await graph.invoke({ messages: [{ role: "user", content: "Go." }] }, thread(id));
      return id;
    },
    decide: async (id) => {
      if (!hasEnded(await graph.invoke(new Command({ resume: { approved: true } }), thread(id))))
        throw new Error("the graph did not end");
    },
    // Without input it continues from its last checkpoint.
    recover: async (id) => (hasEnded(await graph.invoke(null, thread(id))) ? "ended" : "asks"),
    close: () => pool.end(),
  };
}
