import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { refuseAddress } from "./address-rules";
import { createEgress, type Egress, EgressRefused } from "./egress";

const open: { egress: Egress[]; servers: Server[] } = { egress: [], servers: [] };

afterEach(async () => {
  for (const egress of open.egress.splice(0)) await egress.close();
  for (const server of open.servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that counts what reaches it. */
async function startTarget(
  answer: Parameters<typeof createServer>[1] = (_request, response) => void response.end("reached"),
) {
  const target = { port: 0, requests: 0, connections: 0 };
  const server = createServer((request, response) => {
    target.requests += 1;
    answer!(request, response);
  });
  server.on("connection", () => (target.connections += 1));
  open.servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  target.port = (server.address() as AddressInfo).port;
  return target;
}

function egressWith(options: Partial<Parameters<typeof createEgress>[0]> = {}): Egress {
  const egress = createEgress({ allowHosts: [], ...options });
  open.egress.push(egress);
  return egress;
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

test.each([
  "127.0.0.1",
  "127.8.9.1",
  "0.0.0.0",
  "0.1.2.3",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "::7f00:1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2001:db8::1",
  "2001::1",
  "100::1",
  "4000::1",
  "64:ff9b:0:1::7f00:1",
  "100:0:0:1::1",
  "::5efe:7f00:1",
  "2001:470:1::5efe:10.0.0.1",
  "2606:4700::200:5efe:a00:1",
  "3fff::1",
  "5f00::1",
  "1fff:ffff::1",
  "e000::1",
  "not-an-address",
  "",
])("the address %s is refused", (address) => {
  expect(refuseAddress(address)).not.toBeNull();
});

test.each([
  "1.1.1.1",
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2001:470:1::1",
  "2a00:1450:4001::5eff:1",
  "3ffe::1",
  "64:ff9b::101:101",
  "::ffff:1.1.1.1",
  "2002:101:101::1",
])("the address %s is public", (address) => {
  expect(refuseAddress(address)).toBeNull();
});

test.each([
  "127.0.0.1",
  "localhost",
  "localhost.",
  "0.0.0.0",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "127.1",
])("a request to %s is refused and no connection is made", async (host) => {
  const target = await startTarget();
  const failure = await failureOf(egressWith().guardedFetch(`http://${host}:${target.port}/`));
  expect(failure).toBeInstanceOf(EgressRefused);
  expect((failure as Error).message).toContain("KIMITSU_ALLOW_HOSTS");
  expect(target.connections).toBe(0);
});

test("an allowed host is reached, by name alone or with its port, and another port is not", async () => {
  const target = await startTarget();
  const other = await startTarget();
  const byName = await egressWith({ allowHosts: ["127.0.0.1"] }).guardedFetch(`http://127.0.0.1:${target.port}/`);
  expect(await byName.text()).toBe("reached");
  const egress = egressWith({ allowHosts: [`127.0.0.1:${target.port}`] });
  expect((await egress.guardedFetch(`http://127.0.0.1:${target.port}/`)).status).toBe(200);
  expect(await failureOf(egress.guardedFetch(`http://127.0.0.1:${other.port}/`))).toBeInstanceOf(EgressRefused);
});

test.each(["::1", "[::1]", "[::1]:1"])("an IPv6 address that is allowed as %s is not refused", async (host) => {
  const failure = await failureOf(egressWith({ allowHosts: [host] }).guardedFetch("http://[::1]:1/"));
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(EgressRefused);
});

test.each([
  ["http://tools.example/", [], true],
  ["http://tools.example:8080/", ["tools.example:80", "other.example"], true],
  ["http://93.184.216.34/", [], true],
  ["http://localhost.example/", [], true],
  ["http://127.0.0.1.example/", [], true],
  ["http://tools.example/", ["tools.example"], false],
  ["http://tools.example:8080/", ["Tools.example:8080"], false],
  ["https://tools.example/", [], false],
])(
  "a secret to %s, where %j are allowed, is refused before anything is looked up: %s",
  async (url, allowHosts, isRefused) => {
    let looked = 0;
    const lookup = ((_hostname: string, _options: unknown, callback: (error: Error) => void) => {
      looked += 1;
      callback(new Error("nothing is known of it"));
    }) as unknown as LookupFunction;
    const egress = egressWith({ allowHosts, lookup });
    const failure = await failureOf(egress.guardedFetch(url, { holdsSecret: true }));
    expect([failure instanceof EgressRefused, String(failure).includes("over plain http"), looked]).toEqual(
      isRefused ? [true, true, 0] : [false, false, 1],
    );
    await failureOf(egress.guardedFetch("http://tools.example/"));
    expect(looked).toBe(isRefused ? 1 : 2);
  },
);

test("a name that is public at first and private later never leads to the private address", async () => {
  const target = await startTarget();
  let asked = 0;
  const rebinding = ((
    _hostname: string,
    _options: unknown,
    callback: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    asked += 1;
    callback(null, [{ address: asked === 1 ? "198.51.100.1" : "127.0.0.1", family: 4 }]);
  }) as unknown as LookupFunction;
  const egress = egressWith({ lookup: rebinding, connectTimeoutMs: 200 });
  await failureOf(egress.guardedFetch(`http://rebind.example:${target.port}/`));
  const second = await failureOf(egress.guardedFetch(`http://rebind.example:${target.port}/`));
  expect(second).toBeInstanceOf(EgressRefused);
  expect((second as Error).message).toContain("127.0.0.1");
  expect(target.connections).toBe(0);
});

test("one private address among public ones is enough to refuse a name", async () => {
  const lookup = ((
    _hostname: string,
    _options: unknown,
    callback: (error: null, found: { address: string; family: number }[]) => void,
  ) =>
    callback(null, [
      { address: "93.184.216.34", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ])) as unknown as LookupFunction;
  expect(await failureOf(egressWith({ lookup }).guardedFetch("http://mixed.example/"))).toBeInstanceOf(EgressRefused);
});

test("a redirect is handed back and not followed", async () => {
  const other = await startTarget();
  const target = await startTarget(
    (_request, response) => void response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end(),
  );
  const response = await egressWith({ allowHosts: ["127.0.0.1"] }).guardedFetch(`http://127.0.0.1:${target.port}/`, {
    method: "POST",
    body: "{}",
  });
  expect(response.status).toBe(307);
  expect(other.requests).toBe(0);
});

test("an answer whose body nobody reads is dropped, and later data on it does no harm", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  const target = await startTarget(
    (_request, response) =>
      void response.writeHead(302, { location: "http://elsewhere.example/" }).end("x".repeat(1_000)),
  );
  const { guardedFetch } = egressWith({ allowHosts: ["127.0.0.1"] });
  const response = await guardedFetch(`http://127.0.0.1:${target.port}/`, { method: "POST", body: "{}" });
  await response.body?.cancel();
  // The second answer arrives on the same event loop after the rest of the first one.
  expect((await (await guardedFetch(`http://127.0.0.1:${target.port}/`)).text()).length).toBe(1_000);
  expect(uncaught).toEqual([]);
});

test("an answer that breaks off before anyone reads it fails its reader and does no other harm", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  const target = await startTarget((request, response) => {
    response.writeHead(200, {
      "content-type": "text/plain",
      ...(request.url === "/packed" ? { "content-encoding": "gzip" } : {}),
    });
    response.write("begun");
  });
  const { guardedFetch } = egressWith({ allowHosts: ["127.0.0.1"] });
  for (const path of ["plain", "packed"]) {
    const abort = new AbortController();
    const response = await guardedFetch(`http://127.0.0.1:${target.port}/${path}`, { signal: abort.signal });
    abort.abort(new Error("no longer wanted"));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(response.text()).rejects.toThrow();
  }
  expect(uncaught).toEqual([]);
});

test("an answer that asks for a retry (421) is not sent again", async () => {
  const target = await startTarget((_request, response) => void response.writeHead(421).end());
  await egressWith({ allowHosts: ["127.0.0.1"] }).guardedFetch(`http://127.0.0.1:${target.port}/`, {
    method: "POST",
    body: "{}",
  });
  expect(target.requests).toBe(1);
});

test("addresses with credentials and other schemes are refused", async () => {
  const egress = egressWith({ allowHosts: ["127.0.0.1"] });
  expect(await failureOf(egress.guardedFetch("file:///etc/passwd"))).toBeInstanceOf(EgressRefused);
  const failure = await failureOf(egress.guardedFetch("http://user:SENTINEL@127.0.0.1/"));
  expect(failure).toBeInstanceOf(EgressRefused);
  expect(String(failure)).not.toContain("SENTINEL");
});

test("compressed answers are read although they were not requested", async () => {
  const target = await startTarget(
    (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("small")),
  );
  const response = await egressWith({ allowHosts: ["127.0.0.1"] }).guardedFetch(`http://127.0.0.1:${target.port}/`);
  expect(await response.text()).toBe("small");
});

test("the moment of sending is announced before the request arrives, and throwing there prevents it", async () => {
  const target = await startTarget();
  const egress = egressWith({ allowHosts: ["127.0.0.1"] });
  let seenBySend = -1;
  await egress.guardedFetch(`http://127.0.0.1:${target.port}/`, {
    method: "POST",
    body: "{}",
    onSend: () => void (seenBySend = target.requests),
  });
  expect(seenBySend).toBe(0);
  expect(target.requests).toBe(1);
  const stop = () => {
    throw new Error("stopped at the door");
  };
  const failure = await failureOf(
    egress.guardedFetch(`http://127.0.0.1:${target.port}/`, { method: "POST", body: "{}", onSend: stop }),
  );
  expect(String(failure)).toContain("stopped at the door");
  expect(target.requests).toBe(1);
});

test("a refused connection never announces sending", async () => {
  const gone = await startTarget();
  const [server] = open.servers.splice(-1);
  await new Promise((resolve) => server!.close(resolve));
  let isAnnounced = false;
  const failure = await failureOf(
    egressWith({ allowHosts: ["127.0.0.1"] }).guardedFetch(`http://127.0.0.1:${gone.port}/`, {
      method: "POST",
      body: "{}",
      onSend: () => void (isAnnounced = true),
    }),
  );
  expect(failure).toMatchObject({ code: "ECONNREFUSED" });
  expect(isAnnounced).toBe(false);
});

test("sockets are shared, unless a fresh one is requested", async () => {
  const target = await startTarget();
  const { guardedFetch } = egressWith({ allowHosts: ["127.0.0.1"] });
  const ask = async (isFreshSocket: boolean) =>
    void (await (await guardedFetch(`http://127.0.0.1:${target.port}/`, { isFreshSocket })).text());
  for (let index = 0; index < 10; index += 1) await ask(false);
  const shared = target.connections;
  expect(shared).toBeLessThan(10);
  for (let index = 0; index < 10; index += 1) await ask(true);
  expect(target.connections - shared).toBe(10);
});
