/** A process that hosts a program which does not end by itself. Says the ids of its processes, and waits to be killed. */
import { hostedServer } from "@/lib/testing/hosted/hosted-server";
import { testPool } from "@/lib/testing/hostile-servers/tool-server";
import { callTool } from "@/lib/tools/call-tool";

const pool = testPool({ stdio: { env: { PATH: process.env.PATH ?? "" } } });
const server = hostedServer({ env: { STUBBORN: "1" } });

async function ask<T>(tool: string): Promise<T> {
  const outcome = await callTool(pool, server, { tool, arguments: {}, fingerprint: null, callId: "call_host" });
  if (outcome.kind !== "answered") throw outcome.error;
  return JSON.parse(outcome.result.output) as T;
}

const program = await ask<number>("pid");
const child = await ask<number>("spawn");
const { cwd } = await ask<{ cwd: string }>("place");
console.log(JSON.stringify({ program, child, cwd }));
