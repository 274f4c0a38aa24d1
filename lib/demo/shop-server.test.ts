import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import Ajv2020 from "ajv/dist/2020";
import { afterEach, describe, expect, test } from "vitest";
import { startShopServer } from "./shop-server";
import { openShopStore } from "./shop-store";

const KEY = "key-of-the-test";
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startShop(stateFile?: string) {
  const shop = await startShopServer({ port: 0, apiKey: KEY, store: openShopStore(stateFile) });
  cleanups.push(() => shop.close());
  return `http://127.0.0.1:${shop.port}`;
}

async function connect(origin: string, key = KEY) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers: { "X-Api-Key": key } } }),
  );
  cleanups.push(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { client, call };
}

const text = (result: CallToolResult) => (result.content[0] as { text: string }).text;
const refund = { order_id: "A-1042", amount: 196.5, currency: "EUR", reason: "charged twice" };

async function makeFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kimitsu-shop-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  return folder;
}

describe("the tools", () => {
  test("declare title, schema and all four annotations", async () => {
    const { client } = await connect(await startShop());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "orders-read",
      "payments-read",
      "tickets-search",
      "draft-reply",
      "issue-refund",
      "close-ticket",
      "delete-customer",
    ]);
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(tool.annotations!).sort()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
      ]);
    }
    expect(tools.find(({ name }) => name === "issue-refund")!.annotations).toMatchObject({
      readOnlyHint: false,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(tools.find(({ name }) => name === "delete-customer")!.annotations).toMatchObject({ destructiveHint: true });
  });

  test("have schemas by which a common validator accepts an amount with cents", async () => {
    const { client } = await connect(await startShop());
    const { tools } = await client.listTools();
    const validate = new Ajv2020().compile(tools.find(({ name }) => name === "issue-refund")!.inputSchema);
    expect(validate(refund)).toBe(true);
    expect(validate({ ...refund, amount: "196.5" })).toBe(false);
  });
});

describe("a refund", () => {
  test("is booked and shown in the order's payments", async () => {
    const { call } = await connect(await startShop());
    expect((await call("payments-read", { order_id: "A-1042" })).structuredContent).toMatchObject({
      charged: 393,
      refunded: 0,
      refundable: 393,
      duplicate_charges: ["P-5003"],
    });
    expect((await call("issue-refund", refund)).structuredContent).toMatchObject({
      refund_id: "P-5012",
      refundable: 196.5,
    });
    const { payments, refunded } = (await call("payments-read", { order_id: "A-1042" })).structuredContent as {
      payments: unknown[];
      refunded: number;
    };
    expect(refunded).toBe(196.5);
    expect(payments.at(-1)).toMatchObject({
      payment_id: "P-5012",
      kind: "refund",
      amount: 196.5,
      note: "charged twice",
    });
  });

  test("pays again when called again, until nothing is left", async () => {
    const { call } = await connect(await startShop());
    await call("issue-refund", refund);
    expect((await call("issue-refund", refund)).structuredContent).toMatchObject({
      refund_id: "P-5013",
      refundable: 0,
    });
    const third = await call("issue-refund", refund);
    expect(third.isError).toBe(true);
    expect(text(third)).toContain(
      "196.5 EUR is more than the 0 EUR that can still be refunded on order A-1042. Nothing was booked.",
    );
  });

  test.each([
    [{ ...refund, currency: "USD" }, "Order A-1042 was paid in EUR, so USD cannot be refunded"],
    [{ ...refund, order_id: "A-9999" }, "There is no order A-9999"],
    [{ ...refund, order_id: "1042" }, "order_id: looks like A-1042"],
    [{ ...refund, amount: -1 }, "amount: must be more than zero"],
    [{ ...refund, amount: 0.001 }, "amount: has at most two decimals"],
    [{ order_id: "A-1042" }, "currency: Invalid input"],
    [{ ...refund, amout: 1 }, 'Unrecognized key: "amout"'],
  ])("that is wrong is refused with the reason, and nothing is booked: %j", async (args, reason) => {
    const { call } = await connect(await startShop());
    const result = await call("issue-refund", args);
    expect(result.isError).toBe(true);
    expect(text(result)).toContain(reason);
    expect((await call("payments-read", { order_id: "A-1042" })).structuredContent).toMatchObject({ refunded: 0 });
  });
});

test("a ticket is found, answered and closed, and a closed one takes no draft", async () => {
  const { call } = await connect(await startShop());
  expect((await call("tickets-search", { query: "charged TWICE" })).structuredContent).toMatchObject({
    count: 1,
    tickets: [{ ticket_id: "T-310" }],
  });
  expect((await call("draft-reply", { ticket_id: "T-310", text: "Sorry!" })).structuredContent).toMatchObject({
    draft: "Sorry!",
  });
  expect((await call("close-ticket", { ticket_id: "T-310" })).structuredContent).toMatchObject({
    status: "closed",
    was_open: true,
  });
  expect((await call("close-ticket", { ticket_id: "T-310" })).structuredContent).toMatchObject({
    status: "closed",
    was_open: false,
  });
  expect(text(await call("draft-reply", { ticket_id: "T-310", text: "Again" }))).toContain("is closed");
});

test("a deleted customer is gone with the tickets, and the order stays without a name", async () => {
  const { call } = await connect(await startShop());
  expect((await call("delete-customer", { customer_id: "C-202" })).structuredContent).toMatchObject({
    deleted_tickets: ["T-310", "T-317"],
  });
  expect((await call("orders-read", { order_id: "A-1042" })).structuredContent).toMatchObject({
    total: 196.5,
    customer: null,
  });
  expect((await call("delete-customer", { customer_id: "C-202" })).isError).toBe(true);
});

describe("the state file", () => {
  test("keeps bookings over a restart and leaves no part files", async () => {
    const folder = await makeFolder();
    const file = path.join(folder, "shop.json");
    await (await connect(await startShop(file))).call("issue-refund", refund);
    const second = await connect(await startShop(file));
    expect((await second.call("payments-read", { order_id: "A-1042" })).structuredContent).toMatchObject({
      refunded: 196.5,
    });
    expect(await readdir(folder)).toEqual(["shop.json"]);
  });

  test("that holds something else is refused and left alone", async () => {
    const file = path.join(await makeFolder(), "shop.json");
    await writeFile(file, "{}");
    expect(() => openShopStore(file)).toThrow("does not hold the demo shop's state");
    expect(await readFile(file, "utf8")).toBe("{}");
  });
});

describe("over HTTP", () => {
  test.each(["wrong", ""])("a key that is %j gets 401 in the form of JSON-RPC", async (key) => {
    const origin = await startShop();
    const response = await fetch(`${origin}/mcp`, { method: "POST", headers: { "X-Api-Key": key }, body: "{}" });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { message: expect.stringContaining("X-Api-Key") },
    });
    await expect(connect(origin, key)).rejects.toThrow("The X-Api-Key header is missing or wrong");
  });

  test("a host name that is not loopback is refused, so no web page reaches the shop", async () => {
    const { port } = new URL(await startShop());
    const status = await new Promise((resolve, reject) => {
      http
        .get({ port, host: "127.0.0.1", path: "/hooks", headers: { host: `evil.example:${port}` } }, (response) =>
          resolve(response.resume().statusCode),
        )
        .on("error", reject);
    });
    expect(status).toBe(403);
    const page = await fetch(`http://127.0.0.1:${port}/hooks`, { headers: { origin: "https://evil.example" } });
    expect(page.status).toBe(403);
  });

  test("a body beyond the limit gets 413, one that is not JSON 400", async () => {
    const origin = await startShop();
    const post = (body: string) => fetch(`${origin}/mcp`, { method: "POST", headers: { "X-Api-Key": KEY }, body });
    expect((await post("x".repeat(300 * 1024))).status).toBe(413);
    expect((await post("{")).status).toBe(400);
  });

  test("webhooks are kept, the newest hundred", async () => {
    const origin = await startShop();
    for (let number = 1; number <= 101; number++)
      await fetch(`${origin}/hooks/done`, { method: "POST", body: JSON.stringify({ number }) });
    const { hooks } = (await (await fetch(`${origin}/hooks`)).json()) as {
      hooks: { path: string; body: { number: number } }[];
    };
    expect(hooks).toHaveLength(100);
    expect(hooks.at(0)).toMatchObject({ path: "/hooks/done", body: { number: 2 } });
    expect(hooks.at(-1)!.body.number).toBe(101);
  });

  test("two clients at once each get the answers to their own calls", async () => {
    const origin = await startShop();
    const clients = await Promise.all([connect(origin), connect(origin)]);
    const ids = ["A-1041", "A-1042", "A-1043", "A-1044", "A-1045"];
    const answers = await Promise.all(
      clients.flatMap(({ call }) => ids.map((order_id) => call("orders-read", { order_id }))),
    );
    expect(answers.map(({ structuredContent }) => structuredContent!.order_id)).toEqual([...ids, ...ids]);
  });
});
