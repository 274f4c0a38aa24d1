/** What is measured: Kimitsu, its peers set up as in their documentation, and what each stores of a decision. */
export const FIELD = [
  {
    name: "kimitsu",
    title: "Kimitsu",
    driver: "hand",
    packages: [],
    setup:
      "whoever starts or decides also claims and advances the run, as the peers' callers do; policy, seals and audit trail on",
    audit: "who, when, which digest; hash chain",
  },
  {
    name: "kimitsu-worker",
    title: "Kimitsu, by its worker",
    driver: "worker",
    packages: [],
    setup:
      "as deployed: a worker in the same process hears of the run, 32 at a time; those who wait look at its row every 2 ms",
    audit: "the same",
  },
  {
    name: "langgraph",
    title: "LangGraph JS",
    packages: ["@langchain/langgraph", "@langchain/langgraph-checkpoint-postgres"],
    setup: "`PostgresSaver`, `interrupt()` in the tool's node, `Command({ resume })`; durability `async`, its default",
    audit: "checkpoints; not who decided",
  },
  {
    name: "langgraph-exit",
    title: "LangGraph JS, durability `exit`",
    packages: ["@langchain/langgraph"],
    setup: "the same graph; writes only when it stops or pauses",
    audit: "checkpoints at pauses; not who decided",
  },
  {
    name: "mastra-agent",
    title: "Mastra, agent",
    packages: ["@mastra/core", "@mastra/pg"],
    setup: "`PostgresStore`, `requireApproval` on the tool, `approveToolCallGenerate` by run id",
    audit: "none: the snapshot is deleted at the end",
  },
  {
    name: "mastra-workflow",
    title: "Mastra, workflow",
    packages: ["@mastra/core", "@mastra/pg"],
    setup: "`PostgresStore`, steps model, tool, model; `suspend()` in the tool's step, `createRun({ runId }).resume()`",
    audit: "last state of each step; not who decided",
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents JS",
    packages: ["@openai/agents"],
    setup: "`needsApproval` on the tool; `RunState` as text in a table of ours: insert, select, update",
    audit: "what the caller writes: one state",
  },
  {
    name: "ai-sdk",
    title: "Vercel AI SDK",
    packages: ["ai"],
    setup: "`generateText` with `toolApproval`; messages as JSON in a table of ours: insert, select, update",
    audit: "what the caller writes: the messages",
  },
  {
    name: "dbos",
    title: "DBOS",
    packages: ["@dbos-inc/dbos-sdk"],
    setup:
      "a workflow with `setEvent`, `recv`, `runStep`; the decision by `DBOSClient.send`, the end by its handle in the same process; events put together over 1 ms instead of 10",
    audit: "steps and messages; not who decided",
  },
];
