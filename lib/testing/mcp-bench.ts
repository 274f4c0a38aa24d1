/** The door `/mcp` behind a real HTTP server, on a profile with a recording server, and clients of both SDKs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import { generateToken, hashToken } from "@/lib/people/rules/api-token";
import { createMcpDoor, type McpDoor, type McpDoorOptions } from "@/lib/proxy/mcp-door";
import { ownHosts } from "@/lib/proxy/rules/own-hosts";
import { createId } from "@/lib/ids";
import { buildUser } from "@/lib/testing/builders";
import { type ClientBench, type ClientBenchFacts, openClientBench } from "@/lib/testing/client-bench";
import type { TestDatabase } from "@/lib/testing/database";

export const ORIGIN = "https://kimitsu.example.org";

export interface TestToken {
  id: string;
  token: string;
  userId: string;
}

export interface ServedDoor {
  url: string;
  door: McpDoor;
}

export interface McpBench extends ClientBench, ServedDoor {
  /** Another process on the same database. */
  serve(options?: Partial<McpDoorOptions>): Promise<ServedDoor>;
  token(facts?: { profile?: string | null; scopes?: string[] }): Promise<TestToken>;
}

export async function openMcpBench(database: TestDatabase, facts: ClientBenchFacts): Promise<McpBench> {
  const bench = await openClientBench(database, facts);
  const serve = (options: Partial<McpDoorOptions> = {}) =>
    serveDoor({ ...bench.deps, calls: bench.calls, ...DEFAULTS, ...options });
  return {
    ...bench,
    ...(await serve()),
    serve,
    token: async ({ profile = "coding", scopes = ["mcp"] } = {}) => {
      const user = await buildUser(bench.deps, "operator");
      const token = generateToken();
      const row = { id: createId("token"), name: "editor", hash: hashToken(token), hint: "abcd", scopes, profile };
      await bench.deps.db.apiToken.create({ data: { ...row, userId: user.id, createdById: user.id } });
      return { id: row.id, token, userId: user.id };
    },
  };
}

const DEFAULTS = {
  origin: ORIGIN,
  hosts: ownHosts({ HOST: "127.0.0.1" }),
  countRequest: () => {},
  markHeld: () => {},
};

async function serveDoor(options: McpDoorOptions): Promise<ServedDoor> {
  const door = createMcpDoor(options);
  const server = createServer((message, reply) => void door.handle(message, reply));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await door.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { door, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const INFO = { name: "test-client", version: "2.0" };

export type Era = "modern" | "legacy";

/** A client of the second SDK. */
export async function connectClient(
  url: string,
  { token }: Pick<TestToken, "token">,
  { era, extensions }: { era: Era; extensions?: Record<string, object> },
): Promise<Client> {
  const client = new Client(INFO, {
    capabilities: extensions ? { extensions: extensions as never } : {},
    versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), bearer(token)));
  onTestFinished(() => client.close());
  return client;
}

/** A client of the first SDK, which knows the older era alone. */
export async function connectOldClient(url: string, { token }: Pick<TestToken, "token">): Promise<OldClient> {
  const client = new OldClient(INFO);
  await client.connect(new OldTransport(new URL(url), bearer(token)) as never);
  onTestFinished(() => client.close());
  return client;
}
