import { expect, test } from "vitest";
import { POST as RETRY } from "@/app/runs/[runId]/retry/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { QUEUE_COUNT_AGE_MAX_MS } from "@/lib/limits";
import { watchQueue } from "@/lib/runs/queue-room";
import { cancelRun } from "@/lib/runs/cancel-run";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();

test(
  verifies(
    "protection:queue",
    "a full queue starts and retries nothing, with or without a key, and accepts runs again as soon as it is shorter",
  ),
  async () => {
    const bench = await openApiBench(database);
    bench.deps.queue = watchQueue(bench.deps, 2);
    const { token, user } = await bench.login("operator");
    const start = (headers: Record<string, string> = {}) =>
      ask(START, "/runs", { method: "POST", token, body: { workflow: "main" }, headers });
    const later = () => bench.clock.advance(QUEUE_COUNT_AGE_MAX_MS);

    const over = (await start()).body.run_id as string;
    await cancelRun(bench.deps, user.actor, { runId: over, reason: "enough" });
    later();
    const queued = [];
    for (let run = 0; run < 3; run++) queued.push(((await start()).body as { run_id: string }).run_id);
    later();
    for (const refused of [
      await start(),
      await start({ "idempotency-key": "one" }),
      await ask(RETRY, `/runs/${over}/retry`, { method: "POST", token, body: {} }, { runId: over }),
    ]) {
      expect([refused.status, refused.headers.get("retry-after"), refused.body.error.code]).toEqual([
        503,
        "5",
        "unavailable",
      ]);
      expect(refused.body.error.message).toContain("More than 2 runs are due");
    }
    expect(await database.db.run.count()).toBe(4);

    await bench.advance(queued[0]!);
    later();
    const [kept, again] = [await start({ "idempotency-key": "one" }), await start({ "idempotency-key": "one" })];
    expect([kept.status, again.body]).toEqual([202, kept.body]);

    later();
    const [repeated, other, fresh] = [
      await start({ "idempotency-key": "one" }),
      await ask(START, "/runs", {
        method: "POST",
        token,
        body: { workflow: "main", params: { text: "x" } },
        headers: { "idempotency-key": "one" },
      }),
      await start({ "idempotency-key": "two" }),
    ];
    expect([repeated.status, repeated.body], "what was answered is answered again, however full it is").toEqual([
      202,
      kept.body,
    ]);
    expect([other.status, fresh.status]).toEqual([409, 503]);
  },
);
