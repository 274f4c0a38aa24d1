import path from "node:path";
import { expect, test } from "vitest";
import { readToolsLock } from "@/lib/config/tools-lock";
import { startShopServer } from "@/lib/demo/shop-server";
import { openShopStore } from "@/lib/demo/shop-store";
import { testPool, testServer } from "@/lib/testing/hostile-servers/tool-server";
import { diffLocks, lockServer } from "@/lib/tools/lock-tools";

test("the demo's lock is what the demo's server lists; if not, start the demo and run `kimitsu lock`", async () => {
  const shop = await startShopServer({ port: 0, apiKey: "key", store: openShopStore(undefined) });
  const pool = testPool();
  try {
    const { tools } = await pool.listTools(testServer(`http://127.0.0.1:${shop.port}/mcp`, { secret: "key" }));
    const lock = readToolsLock(path.resolve(import.meta.dirname, "../../kimitsu"));
    expect(diffLocks(lock, { version: 1, servers: { shop: lockServer(tools) } })).toEqual([]);
    expect(lock?.servers.shop).toEqual(lockServer(tools));
  } finally {
    await pool.close();
    await shop.close();
  }
});
