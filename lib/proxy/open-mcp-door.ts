/** The door `/mcp` of a web process, on what the process has open. */
import { createMcpDoor, type McpDoor } from "@/lib/proxy/mcp-door";
import { ownHosts } from "@/lib/proxy/rules/own-hosts";
import { createClientCalls } from "@/lib/runs/client-calls/create-client-calls";
import type { Runtime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";

/** Known to scripts/web, which leaves such responses out of those that the process works on. */
const HELD = Symbol.for("kimitsu.held");

export function openMcpDoor(runtime: Runtime, countRequest: (tokenId: string) => void): McpDoor {
  const calls = createClientCalls(runtime);
  const door = createMcpDoor({
    ...runtime,
    calls,
    origin: env.AUTH_URL ? new URL(env.AUTH_URL).origin : `http://${env.HOST}:${env.PORT}`,
    hosts: ownHosts(env),
    countRequest,
    markHeld: (reply) => void Object.assign(reply, { [HELD]: true }),
  });
  return {
    ...door,
    close: async () => {
      await door.close();
      await calls.flush();
    },
  };
}
