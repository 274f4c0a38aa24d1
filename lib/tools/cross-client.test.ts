/**
 * Many callers with different credentials on one server at the same time: no answer, credential or session reaches the
 * wrong caller.
 */
import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { testPool, testServer } from "@/lib/testing/hostile-servers/tool-server";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { callTool } from "./call-tool";

const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

const CLIENTS = 5;
const CALLS = 20;

test.each(["http", "stateless", "sse"] as const)(
  verifies(
    "attack:cross-client",
    "over %s each of many parallel calls has its own answer, sent with its own credential",
  ),
  async (transport) => {
    const server = await startRecordingServer({ transport });
    cleanup.push(() => server.close());
    const pool = testPool();
    cleanup.push(() => pool.close());
    const fields = { timeout: "60s", ...(transport === "sse" ? { transport } : {}) };
    const calls = Array.from({ length: CLIENTS * CALLS }, (_, index) => ({
      client: index % CLIENTS,
      mark: `mark-${index}`,
    }));
    const outcomes = await Promise.all(
      calls.map(async ({ client, mark }) => {
        const toolServer = testServer(server.url, { secret: `credential-of-${client}`, fields });
        return {
          mark,
          outcome: await callTool(pool, toolServer, {
            tool: "echo",
            arguments: { client, mark },
            fingerprint: null,
            callId: `call_${mark}`,
          }),
        };
      }),
    );
    for (const { mark, outcome } of outcomes)
      expect(outcome).toMatchObject({ kind: "answered", result: { structured_content: { mark } } });
    const received = await server.calls("echo");
    expect(received).toHaveLength(CLIENTS * CALLS);
    for (const { headers, arguments: args } of received)
      expect(headers["x-api-key"]).toBe(`credential-of-${(args as { client: number }).client}`);
  },
);
