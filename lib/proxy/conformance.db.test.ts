import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startConformantServer } from "@/lib/testing/conformance/conformant-server";
import { forwardWithToken } from "@/lib/testing/conformance/forward";
import { useDatabase } from "@/lib/testing/database";
import { openMcpBench } from "@/lib/testing/mcp-bench";

const database = useDatabase();
const SUITE = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** Scenarios in which a server tells or asks the client something besides its answer, which is not passed on. */
const NOT_PASSED_ON: Record<string, string[]> = {
  "2025-11-25": [
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "2026-07-28": [
    "server-stateless",
    "tools-call-with-progress",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-validate-input",
  ],
};

/** The suite fails for a scenario that fails and is not listed, and for a listed one that passes. */
function run(url: string, revision: string): Promise<{ code: number; output: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-conformance-"));
  const baseline = path.join(folder, "expected.yml");
  const listed = NOT_PASSED_ON[revision]!.map((name) => `  - ${name}\n`).join("");
  writeFileSync(baseline, listed === "" ? "server: []\n" : `server:\n${listed}`);
  const args = [SUITE, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    ),
  );
}

test.each(Object.keys(NOT_PASSED_ON))(
  verifies("proxy:conformance", "a conformant server stays one behind the gate: revision %s"),
  async (revision) => {
    const upstream = await startConformantServer();
    const bench = await openMcpBench(database, {
      allowlist: '- "*"',
      profile: 'prefix: never\npermissions: { allow: ["*"] }\n',
      url: upstream,
    });
    const { token } = await bench.token();
    const { code, output } = await run(await forwardWithToken(bench.url, token), revision);
    expect(code, output).toBe(0);
  },
);
