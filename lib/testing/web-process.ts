/**
 * A web process without pages: the real route handlers of what people do, behind Node's own HTTP server. It advances as
 * many runs at a time as KIMITSU_WORKERS says. Its first line is its address, its second the name under which it leases
 * runs.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { POST as decide } from "@/app/approvals/[approvalId]/decide/route";
import { POST as settle } from "@/app/calls/[callId]/settle/route";
import { POST as start } from "@/app/runs/route";
import { openRuntime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { type RunLoop, startRunLoop } from "@/lib/runs/worker/run-loop";

const ROUTES = [
  { path: /^\/runs$/, handler: start },
  { path: /^\/approvals\/(?<approvalId>[^/]+)\/decide$/, handler: decide },
  { path: /^\/calls\/(?<callId>[^/]+)\/settle$/, handler: settle },
];

async function answer(message: IncomingMessage): Promise<Response> {
  const url = new URL(message.url ?? "/", `http://${message.headers.host}`);
  const headers = new Headers(
    Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]),
  );
  for (const { path, handler } of ROUTES) {
    const params = path.exec(url.pathname);
    if (params)
      return handler(new Request(url, { method: message.method, headers, body: await buffer(message) }), {
        params: Promise.resolve({ ...params.groups }),
      });
  }
  return new Response(null, { status: 404 });
}

const ownerId = createId("worker");
let loop: RunLoop | null = null;
const channel = openWakeChannel(env.DATABASE_URL ?? "", ownerId, (runId) => loop?.wake(runId));
await channel.opened;
const runtime = await openRuntime({
  wake: (runId) => channel.call(runId),
  workerSlot: (runId) => loop?.workerSlot(runId) ?? null,
});
if (env.KIMITSU_WORKERS > 0) loop = startRunLoop(runtime, { ownerId, capacity: env.KIMITSU_WORKERS, channel });
// The parent is gone, and nothing else would end this process.
process.on("disconnect", () => process.exit());
const server = createServer(async (message, reply) => {
  try {
    const response = await answer(message);
    reply.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  } catch {
    // The client left in the middle of the request; one request must not end the process for all others.
    reply.destroy();
  }
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n${ownerId}\n`),
);
