import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { processVariables } from "@/lib/env";
import { type ChaosPlan, runChaos } from "@/lib/testing/chaos";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { twoCallsProject } from "@/lib/testing/two-calls";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

/** The promised values, unless `npm run chaos` sets others. */
const given = processVariables();
const SECONDS = Number(given.CHAOS_SECONDS ?? 60);
const PLAN: ChaosPlan = {
  seed: Number(given.CHAOS_SEED ?? Date.now() % 2 ** 31),
  processes: Number(given.CHAOS_PROCESSES ?? 3),
  webs: Number(given.CHAOS_WEBS ?? 1),
  runs: Number(given.CHAOS_RUNS ?? (given.CHAOS_SECONDS ? SECONDS * 3 : 200)),
  ms: SECONDS * 1000,
  everyMs: Number(given.CHAOS_FAULT_EVERY_MS ?? 1_500),
};

let postgres: PrivatePostgres;
let fleet: Fleet;
beforeAll(async () => void (postgres = await startPrivatePostgres()));
afterAll(async () => {
  await fleet?.close();
  await postgres?.remove();
});

test(
  verifies(
    "engine:random-faults",
    `${PLAN.runs} runs on ${PLAN.processes} workers and ${PLAN.webs} web processes under faults at random for ${SECONDS} s: all end, none lost, none doubled`,
  ),
  { timeout: (SECONDS + 240) * 1000 },
  async () => {
    console.log(`chaos seed ${PLAN.seed}`);
    const server = await startRecordingServer({});
    fleet = await openFleet(postgres, twoCallsProject(server.url));
    const report = await runChaos({ postgres, fleet, server, person: await fleet.person("Rea") }, PLAN);
    console.log(`chaos report ${JSON.stringify(report)}`);
    expect(report).toMatchObject({ complete: report.runs, lost: [], doubled: [], died: [], brokenChains: 0 });
    expect(report.runs).toBeGreaterThanOrEqual(PLAN.runs);
    expect(report.faults["kill-web"]).toBeGreaterThan(PLAN.webs > 0 ? 0 : -1);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1);
    await server.close();
  },
);
