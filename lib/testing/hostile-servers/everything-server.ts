/**
 * The reference server of the MCP project as a process of its own, with an environment that holds nothing but a port.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";

const PROGRAM = path.resolve(
  import.meta.dirname,
  "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

export interface EverythingServer {
  readonly url: string;
  close(): Promise<void>;
}

export const EVERYTHING_COMMAND = { command: process.execPath, args: [PROGRAM, "stdio"] };

export async function startEverythingServer(mode: "streamableHttp" | "sse"): Promise<EverythingServer> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [PROGRAM, mode], {
    env: { PORT: String(port) } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`server-everything ended: ${errors}`)));
    child.stderr.on("data", (text: Buffer) => {
      errors += text.toString();
      if (/listening on port|running on port/i.test(errors)) resolve();
    });
  });
  return {
    url: `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
