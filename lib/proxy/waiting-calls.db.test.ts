import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { DecisionCommand } from "@/lib/approvals/decide-approval";
import { useDatabase } from "@/lib/testing/database";
import { connectClient, type Era, type McpBench, openMcpBench, ORIGIN, type TestToken } from "@/lib/testing/mcp-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();

const WRITE = "t-none";
const ASKED = `- name: ${WRITE}\n  require_approval: { timeout: 1h }`;
const LONG = "hold: { task: 0s, progress: 15m, plain: 15m }\n";
const TASKS = "io.modelcontextprotocol/tasks";

const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
const callOf = ({ serverName }: McpBench) => ({ name: `${serverName}__${WRITE}`, arguments: { n: 1 } });
const questionOf = async ({ deps, serverName }: McpBench) =>
  (await until(() => deps.db.approval.findFirst({ where: { server: serverName }, orderBy: { id: "desc" } }), {
    what: "the question is asked",
    isDone: (row) => row !== null,
  }))!;
const sent = async ({ recorder }: McpBench) => (await recorder.calls()).map((call) => call.arguments);

const DECISIONS: [string, DecisionCommand["verdict"], Partial<DecisionCommand>, object, object[]][] = [
  ["approved", "approved", {}, {}, [{ n: 1 }]],
  [
    "rejected",
    "rejected",
    { reason: "Wrong customer" },
    { isError: true, content: [{ text: expect.stringContaining("Wrong customer") }] },
    [],
  ],
  [
    "edited",
    "approved",
    { arguments: { n: 7 } },
    { _meta: expect.objectContaining({ "dev.kimitsu/edited_arguments": { n: 7 } }) },
    [{ n: 7 }],
  ],
];

describe(verifies("proxy:pending", "a held request"), () => {
  describe.each(["modern", "legacy"] as Era[])("%s", (era) => {
    test.each(DECISIONS)("gets the outcome when it is %s", async (_name, verdict, command, answer, arrived) => {
      const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
      const client = await connectClient(bench.url, await bench.token(), { era });
      const answered = client.callTool(callOf(bench));
      const { runId } = await questionOf(bench);
      await bench.decide(runId, verdict, command);
      expect(await answered).toMatchObject(answer);
      expect(await sent(bench)).toEqual(arrived);
    });

    test.each(DECISIONS)(
      "that its client left loses nothing: the same call made again gets what was %s",
      async (_name, verdict, command, answer, arrived) => {
        const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
        const token = await bench.token();
        const client = await connectClient(bench.url, token, { era });
        const given = client.callTool(callOf(bench));
        given.catch(() => {});
        const { runId } = await questionOf(bench);
        await client.close();
        await bench.decide(runId, verdict, command);
        const again = await connectClient(bench.url, token, { era });
        expect(await again.callTool(callOf(bench))).toMatchObject(answer);
        expect(await sent(bench)).toEqual(arrived);
        expect(await bench.deps.db.approval.count({ where: { server: bench.serverName } })).toBe(1);
      },
    );
  });

  test("whose client asked for progress hears at once where the decision is made", async () => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
    const client = await connectClient(bench.url, await bench.token(), { era: "legacy" });
    const heard: string[] = [];
    const answered = client.callTool(callOf(bench), { onprogress: ({ message }) => void heard.push(message ?? "") });
    const { id, runId } = await questionOf(bench);
    await until(async () => heard.length, { what: "progress is told", isDone: (count) => count > 0 });
    expect(heard[0]).toContain(`${ORIGIN}/inbox/${id}`);
    await bench.decide(runId, "approved");
    expect((await answered).isError).toBeFalsy();
  });

  test("is answered as pending when its process ends, and the call stays", async () => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
    const client = await connectClient(bench.url, await bench.token(), { era: "modern" });
    const answered = client.callTool(callOf(bench));
    const { runId } = await questionOf(bench);
    await bench.door.close();
    expect((await answered).structuredContent).toMatchObject({ status: "pending_approval" });
    await bench.decide(runId, "approved");
    await until(() => sent(bench), { what: "it was called", isDone: (calls) => calls.length === 1 });
  });
});

/** Follows a task as the extension says. */
async function follow(bench: McpBench, token: TestToken, decide: (runId: string) => Promise<void>) {
  const client: Client = await connectClient(bench.url, token, { era: "modern", extensions: { [TASKS]: {} } });
  const post = async (method: string, params: Record<string, unknown>) => {
    const name = String(params.name ?? params.taskId);
    const capabilities = { extensions: { [TASKS]: {} } };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    const answer = await fetch(bench.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token.token}`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    });
    return ((await answer.json()) as { result: Record<string, unknown> }).result;
  };
  await client.close();
  const task = await post("tools/call", callOf(bench));
  await decide((await questionOf(bench)).runId);
  const ended = await until(() => post("tasks/get", { taskId: task.taskId }), {
    what: "the task has ended",
    isDone: ({ status }) => status !== "working",
  });
  return { task, ended };
}

describe(verifies("proxy:pending", "a task"), () => {
  test.each(DECISIONS)(
    "of the extension is completed with the tool's own result when the call is %s",
    async (_name, verdict, command, answer, arrived) => {
      const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
      const { task, ended } = await follow(bench, await bench.token(), (runId) =>
        bench.decide(runId, verdict, command),
      );
      expect(task).toMatchObject({ resultType: "task", status: "working", taskId: expect.stringMatching(/^call_/) });
      expect(ended).toMatchObject({ status: "completed", taskId: task.taskId, result: answer });
      expect(await sent(bench)).toEqual(arrived);
    },
  );

  test("of 2025-11-25 gives its result when it is asked for, and can be cancelled", async () => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
    const client = await connectClient(bench.url, await bench.token(), { era: "legacy" });
    const call = { method: "tools/call", params: { ...callOf(bench), task: {} } };
    const ask = (method: string, taskId: string) =>
      client.request({ method, params: { taskId } }, anything as never) as Promise<Record<string, unknown>>;
    const { task } = (await client.request(call, anything as never)) as { task: { taskId: string; status: string } };
    expect(task.status).toBe("working");
    const result = ask("tasks/result", task.taskId);
    await bench.decide((await questionOf(bench)).runId, "approved");
    expect((await result).isError).toBeFalsy();
    expect(await sent(bench)).toEqual([{ n: 1 }]);

    const other = (await client.request(
      { ...call, params: { ...call.params, arguments: { n: 2 } } },
      anything as never,
    )) as { task: { taskId: string } };
    expect(await ask("tasks/cancel", other.task.taskId)).toMatchObject({ status: "cancelled" });
    expect(await sent(bench)).toEqual([{ n: 1 }]);
  });
});
