import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { connectClient, type Era, openMcpBench } from "@/lib/testing/mcp-bench";

const database = useDatabase();

const WRITE = "t-none";
const READ = "t-ro1-de0-id1-ow0";
const ERAS: Era[] = ["modern", "legacy"];
const ALLOWLIST = `- name: ${WRITE}\n  require_approval: { timeout: 1h, approvers: [reviewer] }\n- ${READ}\n- large-result`;
const META = "mode: meta\nhold: { task: 0s, progress: 0s, plain: 0s }\n";

describe(verifies("meta:served", "a profile in meta mode"), () => {
  test.each(ERAS)("%s: lists four tools, finds what it grants, and calls it by the same policy", async (era) => {
    const bench = await openMcpBench(database, { allowlist: ALLOWLIST, profile: META });
    const client = await connectClient(bench.url, await bench.token(), { era });
    const read = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, never>;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search",
      "load",
      "execute",
      "help",
      "kimitsu_get_result",
      "kimitsu_cancel",
    ]);
    const { results } = await read("search", { query: "text of the given length" });
    expect(results).toMatchObject([{ name: `${bench.serverName}.large-result` }]);
    expect(JSON.stringify(await read("load", { names: [`${bench.serverName}.${WRITE}`] }))).toContain("reviewer");

    const allowed = await client.callTool({ name: "execute", arguments: { tool: `${bench.serverName}.${READ}` } });
    expect(allowed.isError).toBeFalsy();
    expect((await bench.recorder.calls()).map(({ tool }) => tool)).toEqual([READ]);

    const asked = { tool: `${bench.serverName}.${WRITE}`, arguments: { n: 1 } };
    expect(await read("execute", asked)).toMatchObject({ status: "pending_approval" });
    expect(await bench.recorder.calls()).toHaveLength(1);
  });

  test("refuses what is no tool of it, and arguments that do not fit, without a call", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWLIST, profile: META });
    const client = await connectClient(bench.url, await bench.token(), { era: "modern" });
    const execute = (tool: string, args: Record<string, unknown>) =>
      client.callTool({ name: "execute", arguments: { tool: `${bench.serverName}.${tool}`, arguments: args } });
    expect(await execute("echo", {})).toMatchObject({ isError: true });
    expect(await execute("large-result", { length: "long" })).toMatchObject({
      isError: true,
      structuredContent: { error: { problems: [expect.stringContaining("length")] } },
    });
    expect(await client.callTool({ name: `${bench.serverName}__${READ}`, arguments: {} })).toMatchObject({
      isError: true,
    });
    expect(await bench.recorder.calls()).toEqual([]);
  });
});
