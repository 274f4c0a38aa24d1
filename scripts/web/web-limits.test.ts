import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { parseEnv } from "@/lib/env";
import { readRequestsMax, refuseWhenBusy } from "./web-limits.mjs";

const servers: http.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.closeAllConnections()));

/** As scripts/web.mjs has it, with answers that wait for the test. */
async function serve(max: number) {
  const open = new Set<http.ServerResponse>();
  const waiting: http.ServerResponse[] = [];
  const server = http.createServer((request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    if (refuseWhenBusy(request, response, { open, max })) return;
    if (request.url === "/events")
      return void response.setHeader("content-type", "text/event-stream").write(": here\n\n");
    if (request.url === "/wait") return void waiting.push(response);
    response.end("ok");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const untilWaiting = async (count: number) => {
    while (waiting.length < count) await new Promise(setImmediate);
  };
  return { url, port: (server.address() as AddressInfo).port, waiting, untilWaiting };
}

test("past the limit a request is refused at once with when to come back, a probe never, and afterwards there is room again", async () => {
  const { url, waiting, untilWaiting } = await serve(2);
  const held = [fetch(`${url}/wait`), fetch(`${url}/wait`)];
  await untilWaiting(2);
  const refused = await fetch(`${url}/runs`, { method: "POST", body: "x".repeat(100_000) });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await refused.json()).error).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("works on 2 requests"),
    request_id: expect.stringMatching(/^req_/),
    issues: [],
  });
  const page = await fetch(`${url}/inbox`, { headers: { accept: "text/html,*/*" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/plain; charset=utf-8"]);
  for (const probe of ["/healthz", "/readyz", "/metrics?x=1"])
    expect((await fetch(url + probe)).status, probe).toBe(200);
  waiting[0]!.end("done");
  expect(await (await Promise.race(held)).text()).toBe("done");
  expect((await fetch(`${url}/runs`)).status).toBe(200);
  waiting[1]!.end("done");
  await Promise.all(held);
});

test("event streams, and clients that are still sending, take no place", async () => {
  const { url, port } = await serve(1);
  const streams = await Promise.all([fetch(`${url}/events`), fetch(`${url}/events`)]);
  const slow = http.request({ port, path: "/wait", method: "POST", headers: { "content-length": 10 } });
  slow.on("error", () => undefined).write("half");
  expect((await fetch(`${url}/runs`)).status).toBe(200);
  for (const { body } of streams) await body?.cancel();
  slow.destroy();
});

test("the default is the one that is documented with the others", () => {
  expect(readRequestsMax()).toBe(parseEnv({}).KIMITSU_REQUESTS_MAX);
});
