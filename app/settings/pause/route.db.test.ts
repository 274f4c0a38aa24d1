import { beforeAll, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { GET, POST } from "./route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
beforeAll(async () => {
  bench = await openApiBench(database, { allowlist: "- echo\n- t-none" });
});

test("while it is on nothing is sent, not even what needs no approval; turned off, runs continue", async () => {
  const { token } = await bench.login("admin");
  const set = (paused: boolean) => ask(POST, "/settings/pause", { method: "POST", token, body: { paused } });
  expect((await ask(GET, "/settings/pause", { token })).body).toEqual({ paused: false });
  expect((await set(true)).body).toEqual({ paused: true });
  expect((await ask(GET, "/settings/pause", { token })).body).toEqual({ paused: true });
  const { body } = await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } });
  expect((await bench.advance(body.run_id)).kind).toBe("parked");
  expect(await bench.server.calls()).toEqual([]);
  await set(false);
  bench.clock.advance(60_000);
  expect(await bench.advance(body.run_id)).toEqual({ kind: "settled" });
  expect((await bench.server.calls()).length).toBe(2);
  expect(
    (await database.db.event.findMany({ where: { type: { startsWith: "dispatch." } }, orderBy: { seq: "asc" } })).map(
      (event) => event.type,
    ),
  ).toEqual(["dispatch.paused", "dispatch.resumed"]);
});

test("only an admin can switch it", async () => {
  const { token } = await bench.login("operator");
  expect((await ask(POST, "/settings/pause", { method: "POST", token, body: { paused: true } })).status).toBe(403);
  expect((await ask(POST, "/settings/pause", { method: "POST", body: { paused: true } })).status).toBe(401);
});
