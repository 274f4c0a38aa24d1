/**
 * DBOS: a durable workflow that publishes what it asks for (`setEvent`), waits for the decision (`recv`), and runs
 * model and tool as steps.
 */
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { openAct } from "../act-server.mjs";
import { POOL_SIZE } from "../subject.mjs";

const DAY_SECONDS = 86_400;

export async function open({ url, onAct }) {
  const act = await openAct(onAct);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: POOL_SIZE,
    notificationCoalesceMs: 1,
    logLevel: "error",
    tracingEnabled: false,
  });
  const workflow = DBOS.registerWorkflow(
    async () => {
      const call = await DBOS.runStep(async () => ({ tool: "act", text: "act" }), { name: "ask" });
      await DBOS.setEvent("call", call);
      const decision = await DBOS.recv("decision", DAY_SECONDS);
      const text = decision?.approved ? await DBOS.runStep(() => act(call.text), { name: "tool" }) : "rejected";
      return DBOS.runStep(async () => (text === "acted" ? "done" : "rejected"), { name: "end" });
    },
    { name: "main" },
  );
  await DBOS.launch();
  // The decision comes from outside of the application, as from a web process.
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: POOL_SIZE,
    applicationName: "bench",
  });
  const handles = new Map();

  const mustEnd = async (handle) => {
    if ((await handle.getResult()) !== "done") throw new Error("the workflow did not end");
  };
  const subject = {
    start: async () => {
      const handle = await DBOS.startWorkflow(workflow)();
      handles.set(handle.workflowID, handle);
      if (!(await DBOS.getEvent(handle.workflowID, "call"))) throw new Error("the workflow did not ask for approval");
      return handle.workflowID;
    },
    decide: async (id) => {
      await client.send(id, { approved: true }, "decision");
      await mustEnd(handles.get(id) ?? DBOS.retrieveWorkflow(id));
      handles.delete(id);
    },
    // `launch()` above resumed what this application had left.
    recover: async (id) => {
      await mustEnd(DBOS.retrieveWorkflow(id));
      return "ended";
    },
    // A process can have one application; deciding needs only a client.
    openOther: async () => subject,
    close: async () => {
      await client.destroy();
      await DBOS.shutdown();
    },
  };
  return subject;
}
