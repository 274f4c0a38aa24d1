/** Who is measured: Kimitsu, its peers as their documentation has them set up, and what each keeps of a decision. */
export const FIELD = [
  {
    name: "kimitsu",
    title: "Kimitsu",
    packages: [],
    setup: "start, claim, turn, park, decision, claim, call and settle as a request and a worker do them; policy, seals and audit trail on",
    audit: "who, when, which digest; hash chain",
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
    setup: "a workflow with `setEvent`, `recv`, `runStep`; the decision by `DBOSClient.send`; the end by its handle in the same process",
    audit: "steps and messages; not who decided",
  },
];
