import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { startHookServer } from "@/lib/testing/hook-server";

const database = useDatabase();
const PARAMS =
  "params: { schema: { type: object, properties: { id: {}, other: {}, pin: { type: string, secret: true } } } }\n";
const KEY = "s3nt/inel?key#x y";

async function send(address: (origin: string) => string, params: Record<string, unknown>) {
  const target = await startHookServer(() => 200);
  const origin = new URL(target.url).origin;
  const workflow = `kind: workflow\nname: main\nenv: [{ name: KEY, secret: true }, { name: BASE }]\n${PARAMS}pipeline:\n  - { id: notify, webhook: { url: ${JSON.stringify(address(origin))}, method: GET } }\n`;
  const bench = await openEngineBench(database, {
    script: "agents: {}\n",
    workflow,
    env: { KEY, BASE: `${origin}/api` },
  });
  const run = await bench.read(await bench.launch(params));
  return { run, paths: target.received.map(({ url }) => url) };
}

describe("what templates put into an address", () => {
  test.each([
    ["a slash, a question mark and a number sign", "a/b?c=d#e", "/orders/a%2Fb%3Fc%3Dd%23e/lines"],
    ["letters beyond ASCII and a space", "ü x", "/orders/%C3%BC%20x/lines"],
    ["a percent sign", "50%2f", "/orders/50%252f/lines"],
    ["a number", 7, "/orders/7/lines"],
    ["dots that climb nowhere", "a..b...", "/orders/a..b.../lines"],
  ])(verifies("webhook:no-climb", "arrives as data: %s"), async (_name, id, path) => {
    const { run, paths } = await send((origin) => `${origin}/orders/{{ params.id }}/lines`, { id });
    expect([run.status, paths]).toEqual(["complete", [path]]);
  });

  test.each([
    "..",
    ".",
    "../admin",
    "a/../../admin",
    "..\\admin",
    "%2e%2e",
    "%2E.",
    "%252e%252e%252fadmin",
    "..%2fadmin",
    "..%5Cadmin",
    "a%2f..%2f..",
    "..;/admin",
    "..;a=b",
    ". ./../x",
    " ../x",
    "\t..",
  ])("cannot escape its path segment: %j is refused and nothing is sent", async (id) => {
    const { run, paths } = await send((origin) => `${origin}/orders/{{ params.id }}/lines`, { id });
    expect([run.status, paths]).toEqual(["failed", []]);
    expect(run.error).toMatchObject({ message: expect.stringContaining('"params.id" would lead to another path') });
  });

  test("cannot escape its path segment in two halves", async () => {
    const { run, paths } = await send((origin) => `${origin}/orders/{{ params.id }}{{ params.other }}/lines`, {
      id: ".",
      other: ".",
    });
    expect([run.status, paths]).toEqual(["failed", []]);
  });

  test("adds no fields to a query", async () => {
    const { paths } = await send((origin) => `${origin}/find?q={{ params.id }}&limit=1#{{ params.other }}`, {
      id: "a&admin=1+2/..",
      other: "x",
    });
    expect(paths).toEqual(["/find?q=a%26admin%3D1%2B2%2F..&limit=1"]);
  });

  test("that is a secret arrives whole, and is in no row", async () => {
    const { run, paths } = await send((origin) => `${origin}/{{ env.KEY }}/x?k={{ params.pin }}`, { pin: "p&i=n" });
    expect([run.status, paths]).toEqual(["complete", ["/s3nt%2Finel%3Fkey%23x%20y/x?k=p%26i%3Dn"]]);
    expect(JSON.stringify(run)).not.toContain("inel");
  });

  test("that is a secret cannot escape its path segment either, and the refusal does not reveal it", async () => {
    const { run, paths } = await send((origin) => `${origin}/{{ params.pin }}/x`, { pin: "../sentinel-pin" });
    expect([run.status, paths]).toEqual(["failed", []]);
    expect(run.error).toMatchObject({ message: expect.stringContaining("would lead to another path") });
    expect(JSON.stringify(run)).not.toContain("sentinel-pin");
  });

  test("from a variable at the beginning is a whole address", async () => {
    const { run, paths } = await send(() => "{{ env.BASE }}/orders/{{ params.id }}", { id: "a b" });
    expect([run.status, paths]).toEqual(["complete", ["/api/orders/a%20b"]]);
  });

  test("in place of the host is a host and nothing else", async () => {
    for (const id of ["127.0.0.1/x", "u@127.0.0.1", "127.0.0.1?x", "127.0.0.1\\x", "a b", "127.0.0.1#"]) {
      const { run, paths } = await send((origin) => `http://{{ params.id }}:${new URL(origin).port}/x`, { id });
      expect([run.status, paths]).toEqual(["failed", []]);
      expect(run.error).toMatchObject({
        message: expect.stringContaining('"params.id" stands in the place of a host'),
      });
    }
    const { paths } = await send((origin) => `http://{{ params.id }}:${new URL(origin).port}/x`, { id: "127.0.0.1" });
    expect(paths).toEqual(["/x"]);
  });
});
