import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { connectClient, connectOldClient, type Era, openMcpBench, ORIGIN } from "@/lib/testing/mcp-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();

const WRITE = "t-none";
const READ = "t-ro1-de0-id1-ow0";
const ERAS: Era[] = ["modern", "legacy"];

describe(verifies("proxy:serve", "a client of either era"), () => {
  test.each(ERAS)("%s sees the profile's tools and calls one that is allowed, once", async (era) => {
    const bench = await openMcpBench(database, { allowlist: `- ${WRITE}\n- ${READ}` });
    const client = await connectClient(bench.url, await bench.token(), { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      `${bench.serverName}__${WRITE}`,
      `${bench.serverName}__${READ}`,
      "kimitsu_get_result",
      "kimitsu_cancel",
    ]);
    const answer = await client.callTool({ name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } });
    expect(answer).toMatchObject({ _meta: { "dev.kimitsu/call_id": expect.stringMatching(/^call_/) } });
    expect(answer.isError).toBeFalsy();
    expect((await bench.recorder.calls()).map((call) => call.arguments)).toEqual([{ n: 1 }]);
  });

  test("the first SDK works too", async () => {
    const bench = await openMcpBench(database, { allowlist: `- ${WRITE}` });
    const client = await connectOldClient(bench.url, await bench.token());
    const answer = await client.callTool({ name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } });
    expect(answer.isError).toBeFalsy();
    expect(await bench.recorder.calls()).toHaveLength(1);
  });
});

const ASKED = `- name: ${WRITE}\n  require_approval: { timeout: 1h }`;
const HOLD = "hold: { task: 0s, progress: 0s, plain: 0s }\n";

describe(verifies("proxy:pending", "a call that waits for a person"), () => {
  test.each(ERAS)("%s: is answered as pending, and its outcome is fetched once a person approved", async (era) => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: HOLD });
    const client = await connectClient(bench.url, await bench.token(), { era });
    const call = { name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } };
    const pending = await client.callTool(call);
    expect(pending.isError).toBeFalsy();
    const { call_id: callId, approval_url: url } = pending.structuredContent as Record<string, string>;
    expect(pending.structuredContent).toMatchObject({ status: "pending_approval", poll_tool: "kimitsu_get_result" });
    const { runId } = (await bench.deps.db.approval.findFirstOrThrow({ where: { id: url!.split("/").at(-1)! } }))!;
    expect(url).toMatch(new RegExp(`^${ORIGIN}/inbox/apr_`));
    expect((await client.callTool(call)).structuredContent).toMatchObject({ call_id: callId });
    expect(await bench.recorder.calls()).toHaveLength(0);

    await bench.decide(runId, "approved");
    const fetched = await until(() => client.callTool({ name: "kimitsu_get_result", arguments: { call_id: callId } }), {
      what: "the call has ended",
      isDone: ({ structuredContent }) => (structuredContent as { status?: string })?.status === undefined,
    });
    expect(fetched.isError).toBeFalsy();
    expect(await bench.recorder.calls()).toHaveLength(1);
  });
});
