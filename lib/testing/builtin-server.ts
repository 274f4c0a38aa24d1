/** A built-in server as a run would use it: through the pool and the one function that calls tools. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { BUILTIN_SERVERS } from "@/lib/config/builtin-servers";
import { callTool } from "@/lib/tools/call-tool";
import { findBwrap } from "@/lib/tools/builtin/builtins-by-env";
import { type BuiltinDeployment, createBuiltins } from "@/lib/tools/builtin/open-builtin";
import type { ToolResult } from "@/lib/tools/rules/tool-result";
import type { ToolPoolOptions } from "@/lib/tools/tool-pool";
import { testPool, testServer } from "@/lib/testing/hostile-servers/tool-server";

/** A folder with a project, the data of an installation, and a base for files; removed by `close`. */
export function openTestFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-builtin-"));
  const [projectFolder, dataFolder, base] = ["kimitsu", "secrets", "base"].map((name) => path.join(folder, name));
  for (const each of [projectFolder!, dataFolder!, base!]) mkdirSync(each);
  const deployment: BuiltinDeployment = {
    files: { projectFolder: projectFolder!, dataFolder: dataFolder!, confinedTo: null },
    http: { innerHosts: ["127.0.0.1"] },
    shell: { bwrap: findBwrap(), allowUnsandboxed: false },
  };
  const close = () => rmSync(folder, { recursive: true, force: true });
  return { folder, projectFolder: projectFolder!, dataFolder: dataFolder!, base: base!, deployment, close };
}

interface TestBuiltin {
  name: string;
  params: Record<string, unknown>;
  deployment: BuiltinDeployment;
  pool?: Partial<ToolPoolOptions>;
}

export function openTestBuiltin({ name, params, deployment, pool: options = {} }: TestBuiltin) {
  const builtin = BUILTIN_SERVERS.get(name);
  if (!builtin) throw new Error(`no built-in server ${name}`);
  const pool = testPool({ openBuiltin: createBuiltins(deployment), ...options });
  const defaults = Object.entries(builtin.definition.params).filter(([, param]) => param.default !== undefined);
  const given = { ...Object.fromEntries(defaults.map(([param, each]) => [param, each.default])), ...params };
  const server = { ...testServer(undefined, { params: given }), definition: builtin.definition };
  /** Throws when the call did not get an answer. */
  const call = async (tool: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult> => {
    const outcome = await callTool(pool, server, {
      tool,
      arguments: input,
      fingerprint: null,
      callId: "call_test",
      ...(signal && { signal }),
    });
    if (outcome.kind !== "answered") throw outcome.error;
    return outcome.result;
  };
  return { call, list: () => pool.listTools(server), close: () => pool.close() };
}
