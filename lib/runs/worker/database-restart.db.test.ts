import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";
import { startRecordingServer } from "@/lib/testing/recording-server";
import {
  ASKED_TOOL,
  countCalls,
  FREE_TOOL,
  seeToTheEnd,
  startTwoCalls,
  twoCallsProject,
} from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

const RUNS = 8;

let postgres: PrivatePostgres;
let fleet: Fleet;
beforeAll(async () => void (postgres = await startPrivatePostgres()));
afterAll(async () => {
  await fleet?.close();
  await postgres?.remove();
});

test(
  verifies(
    "engine:database-restart",
    "answers that come while the database is away are recorded when it is back, nothing is sent twice, and no process is restarted",
  ),
  async () => {
    const server = await startRecordingServer({});
    await server.hold(FREE_TOOL);
    fleet = await openFleet(postgres, twoCallsProject(server.url));
    const person = await fleet.person("Rea");
    const workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    const tags = Array.from({ length: RUNS }, (_, index) => `run-${index}`);
    const runs = await Promise.all(tags.map((tag) => startTwoCalls(fleet.deps, tag)));
    await server.waitForCalls(FREE_TOOL, RUNS);

    await postgres.stop();
    const before = fleet.pauses.trace().filter(({ point }) => point === "write-run:before-commit").length;
    await server.release(FREE_TOOL);
    // Recording each answer was tried, and tried again, before the database is back.
    const tries = async () =>
      fleet.pauses.trace().filter(({ point }) => point === "write-run:before-commit").length - before;
    await until(tries, { what: "answers held on to", isDone: (count) => count >= 2 * RUNS });
    await postgres.start();

    const ends = await Promise.all(
      runs.map(({ runId }) => seeToTheEnd(fleet.deps, server, person, runId, "parked", 60_000)),
    );
    expect(ends.map((end) => end.status)).toEqual(runs.map(() => "complete"));
    for (const tag of tags)
      for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, tag)).toBe(1);
    expect(await postgres.db.event.count({ where: { type: "call.outcome_unknown" } })).toBe(0);
    expect(await postgres.db.turn.count()).toBe(2 * RUNS);
    // The same processes get notifications and hold their locks again.
    const seen = await until(
      () =>
        postgres.db.$queryRaw<
          { count: number }[]
        >`SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted`,
      {
        what: "all lines open",
        isDone: ([row]) => row!.count >= workers.length + 1,
      },
    );
    expect(seen).toHaveLength(1);
    for (const worker of workers) expect(() => process.kill(worker.pid, 0)).not.toThrow();
    expect(await verifyAudit(fleet.deps)).toMatchObject({ ok: true });
    await server.close();
  },
);
