/**
 * Extending an approval has a limit: seven days after the call was asked, or three times the rule's timeout where that
 * is longer.
 */
import { describe, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { ask, ASKING, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { GET } from "../route";
import { POST } from "./route";

const database = useDatabase();
const [MINUTE, DAY] = [60_000, 86_400_000];

async function waiting(timeout: string) {
  const bench = await openApiBench(database, {
    allowlist: ASKING.allowlist.replace("timeout: 30m", `timeout: ${timeout}`),
  });
  const [starter, { token }] = [await bench.login("operator"), await bench.login("reviewer")];
  const runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  const [approval] = await bench.pendingOf(runId);
  const { id, createdAt } = approval!;
  const read = async () =>
    (await ask(GET, "/x", { token }, { approvalId: id })).body as { expires_at: string; extendable_until: string };
  const extend = (minutes: number) => ask(POST, "/x", { method: "POST", token, body: { minutes } }, { approvalId: id });
  return { read, extend, after: (ms: number) => new Date(createdAt.getTime() + ms).toISOString() };
}

describe(verifies("approvals:extend:limit", "an approval is not extended for ever"), () => {
  test.each([
    ["30m", 7 * DAY, 30 * MINUTE],
    ["4d", 12 * DAY, 4 * DAY],
  ])("with a timeout of %s", async (timeout, limitMs, timeoutMs) => {
    const { read, extend, after } = await waiting(timeout);
    expect(await read()).toMatchObject({ expires_at: after(timeoutMs), extendable_until: after(limitMs) });
    const left = (limitMs - timeoutMs) / MINUTE;
    // No single request asks for more than seven days.
    let asked = 0;
    while (left - asked > 7 * 24 * 60) {
      expect((await extend(7 * 24 * 60)).status).toBe(200);
      asked += 7 * 24 * 60;
    }
    const before = await read();
    const beyond = await extend(left - asked + 1);
    expect([beyond.status, beyond.body.error.message]).toEqual([
      409,
      expect.stringContaining(`until ${after(limitMs)} at most`),
    ]);
    expect(await read()).toEqual(before);
    const last = await extend(left - asked);
    expect([last.status, last.body.expires_at]).toEqual([200, after(limitMs)]);
    const more = await extend(1);
    expect([more.status, more.body.error.message]).toEqual([
      409,
      expect.stringContaining(`until ${after(limitMs)} at most`),
    ]);
  });
});
