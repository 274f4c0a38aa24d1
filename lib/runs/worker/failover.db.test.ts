import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listDurabilityWarnings } from "@/lib/database/rules/judge-durability";
import { verifyAudit } from "@/lib/audit/verify-audit";
import type { Moment } from "@/lib/testing/kill-points";
import { getDurability } from "@/lib/database/queries/get-durability";
import { getHistory } from "@/lib/database/queries/get-history";
import { HANG_MS } from "@/lib/testing/hang";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { type ReplicatedPostgres, startReplicatedPostgres } from "@/lib/testing/replicated-postgres";
import { endedWell, StandingRuns } from "@/lib/testing/standing-runs";
import { ASKED_TOOL, countCalls, FREE_TOOL, twoCallsProject } from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { openFleet } from "@/lib/testing/worker-process";

const AROUND = [
  "before-executing-commit",
  "after-executing-commit",
  "before-call",
  "after-call",
  "before-result-commit",
  "after-result-commit",
] as const;
const MOMENTS = (["before", "after"] as const).flatMap((phase) =>
  AROUND.map((moment): Moment => [phase, `dispatch-call:${moment}`]),
);

let postgres: ReplicatedPostgres | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  await postgres?.remove();
  close = postgres = undefined;
});

async function openBench(isSynchronous: boolean) {
  postgres = await startReplicatedPostgres({ isSynchronous });
  const server = await startRecordingServer({});
  const fleet = await openFleet(postgres, twoCallsProject(server.url));
  close = async () => {
    await fleet.close();
    await server.close();
  };
  const runs = new StandingRuns(fleet, server, await fleet.person("Rea"));
  // When nobody may be asked there is only one worker: a second would take over runs that a slow failover kept silent
  // for too long.
  const places = isSynchronous ? [0] : [0, 1];
  const startWorkers = () => Promise.all(places.map(() => fleet.startWorker({ KIMITSU_WORKERS: "64" })));
  return { postgres, server, fleet, runs, startWorkers, workers: await startWorkers() };
}

/** Before the decision the free call is the newest sent, after it the one that a person was asked about. */
const toolOf = ([phase]: Moment) => (phase === "before" ? FREE_TOOL : ASKED_TOOL);

describe(verifies("engine:lost-commits", "a standby is promoted that lacks what was committed around a call"), () => {
  test.each([
    ["was sent and not answered", "live on"],
    ["was sent and not answered", "are gone"],
    ["was answered", "live on"],
    ["was answered", "are gone"],
  ] as const)(
    "the call %s, its workers %s: it is sent once, or a person is asked first",
    { timeout: 2 * HANG_MS },
    async (call, workers) => {
      const bench = await openBench(false);
      expect(listDurabilityWarnings(await getDurability(bench.postgres.db)).map(({ code }) => code)).toEqual([
        "fsync_off",
        "standbys_asynchronous",
      ]);
      const standing = await bench.runs.start(MOMENTS, "lost");
      await bench.postgres.catchUp();
      bench.postgres.cutReplication();
      if (call === "was sent and not answered")
        for (const tool of [FREE_TOOL, ASKED_TOOL]) await bench.server.hold(tool);
      bench.runs.release();
      const sent = () => Promise.all(standing.map(({ moment, tag }) => countCalls(bench.server, toolOf(moment), tag)));
      await until(sent, { what: "all sent", isDone: (counts) => counts.every((count) => count > 0) });
      if (call === "was answered") {
        const atRest = () => bench.fleet.deps.db.run.count({ where: { leaseOwner: { not: null } } });
        await until(atRest, { what: "all runs at rest", isDone: (count) => count === 0 });
      }

      if (workers === "are gone") await Promise.all(bench.workers.map((worker) => worker.stop("SIGKILL")));
      await bench.postgres.failOver();
      if (workers === "are gone") await bench.startWorkers();
      for (const tool of [FREE_TOOL, ASKED_TOOL]) await bench.server.release(tool);

      const ends = await Promise.all(standing.map((run) => bench.runs.seeEnd(run)));
      expect(ends).toEqual(endedWell(ends));
      expect(await countEvents(bench.postgres, "database.history_changed")).toBe(1);
      expect(await verifyAudit(bench.fleet.deps)).toMatchObject({ ok: true });
    },
  );

  test("when replication is synchronous nothing is lost, and nobody is asked", { timeout: 2 * HANG_MS }, async () => {
    const bench = await openBench(true);
    await until(() => getHistory(bench.postgres.db), {
      what: "workers know that commits wait for the standby",
      isDone: ({ wasSynchronous }) => wasSynchronous,
    });
    expect(listDurabilityWarnings(await getDurability(bench.postgres.db)).map(({ code }) => code)).toEqual([
      "fsync_off",
    ]);
    const standing = await bench.runs.start(MOMENTS, "kept");
    await bench.postgres.failOver();
    bench.runs.release();
    const ends = await Promise.all(standing.map((run) => bench.runs.seeEnd(run)));
    expect(ends).toEqual(endedWell(ends));
    expect(await countEvents(bench.postgres, "call.outcome_unknown")).toBe(0);
    expect(await verifyAudit(bench.fleet.deps)).toMatchObject({ ok: true });
  });
});

const countEvents = ({ db }: ReplicatedPostgres, type: string) => db.event.count({ where: { type } });
