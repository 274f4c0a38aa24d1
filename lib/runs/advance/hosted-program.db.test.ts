import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { PROGRAM, readDiary } from "@/lib/testing/hosted/hosted-server";
import { until } from "@/lib/testing/until";
import { listRegistryServers } from "@/lib/tools/registry/list-registry";

const database = useDatabase();

test(
  verifies(
    "hosting:died",
    "a program that did its work and ended leaves its call outcome_unknown, made once; its server's state says how it ended",
  ),
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-hosted-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const DIARY = path.join(folder, "diary");
    const server = {
      name: "hosted",
      transport: "stdio",
      command: process.execPath,
      args: [PROGRAM],
      env: { DIARY },
    };
    const bench = await openEngineBench(database, {
      script:
        "agents:\n  worker:\n    turns: [{ call: [{ tool: die, arguments: {} }] }]\n    otherwise: { output: { done: true } }\n",
      allowlist: "- die",
      files: { "servers/recorder.server.yaml": JSON.stringify(server) },
      env: { KIMITSU_ALLOW_STDIO: "1" },
    });
    const run = await bench.read(await bench.launch());
    expect(run.calls).toMatchObject([{ tool: "die", status: "outcome_unknown" }]);
    expect(readDiary(DIARY).filter(({ worked }) => worked)).toHaveLength(1);
    const state = await until(
      async () => (await listRegistryServers(bench.deps)).find(({ name }) => name === "hosted"),
      {
        what: "the end is the server's state",
        isDone: (seen) => seen?.health === "unreachable",
      },
    );
    expect(state?.lastError).toContain("its program ended with code 7");
  },
);
