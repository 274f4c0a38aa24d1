/**
 * What 200 idle workers cost Postgres, and what /metrics costs beside a million paused runs. Prints one line of JSON.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { startRun } from "@/lib/runs/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import type { Db } from "@/lib/database/client";
import { connect } from "@/lib/database/client";
import { getGauges } from "@/lib/runs/queries/get-gauges";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { seedPaused } from "@/lib/testing/seed-paused";
import { startRunLoop } from "@/lib/runs/worker/run-loop";
import { advance, type KimitsuBench, openKimitsu } from "./kimitsu-runtime";

const { PAUSED_SIZES = "[]", BENCH_SCALE: scale = "1" } = processVariables();
const WORKERS = [10, 50, 200].map((count) => Math.max(2, Math.ceil(count * Number(scale))));
/** Connections are open, first polls are done. */
const SETTLE_MS = 3_000;
const IDLE_MS = 10_000;
/** Each connection reports its figures after a second at most. */
const HAND_IN_MS = 1_500;
const READS = 60;

/** In the same database, on the same connection, in turns with what it is compared with. */
async function measureMetrics(url: string, paused: number) {
  const one = connect(url, 1);
  const [times, floor]: [number[], number[]] = [[], []];
  const time = async (into: number[], work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    into.push(performance.now() - from);
  };
  for (let read = 0; read < READS; read++) {
    await time(floor, () => one.$queryRaw`SELECT 1`);
    await time(times, () => getGauges(one, new Date()));
  }
  await one.$disconnect();
  return { paused, ms: median(times), floorMs: median(floor) };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const activeMs = async (db: Db) =>
  (
    await db.$queryRaw<
      { ms: number }[]
    >`SELECT active_time AS ms FROM pg_stat_database WHERE datname = current_database()`
  )[0]!.ms;

/** Every worker has a lease on a run of its own, as one with a slow tool call, and nothing else to do. */
async function measureWorkers({ deps }: KimitsuBench, url: string, count: number) {
  const workers = Array.from({ length: count }, () => {
    const ownerId = createId("worker");
    const channel = openWakeChannel(url, ownerId, () => undefined);
    return { ownerId, channel, loop: startRunLoop(deps, { ownerId, capacity: 4, channel }) };
  });
  await Promise.all(workers.map(({ channel }) => channel.opened));
  const owners = workers.map(({ ownerId }) => ownerId);
  await deps.db.$executeRaw`
    WITH chosen AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM (SELECT id FROM runs ORDER BY id LIMIT ${count}) AS first)
    UPDATE runs SET status = 'running', lease_owner = (${owners}::text[])[chosen.n], lease_until = now() + interval '1 hour' FROM chosen WHERE runs.id = chosen.id`;
  await delay(SETTLE_MS);
  const before = await activeMs(deps.db);
  await delay(IDLE_MS);
  await delay(HAND_IN_MS);
  const postgresMs = ((await activeMs(deps.db)) - before) / ((IDLE_MS + HAND_IN_MS) / 1000);
  await deps.db
    .$executeRaw`UPDATE runs SET status = 'pending_approval', lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL`;
  await Promise.all(workers.map(({ loop }) => loop.stop()));
  await Promise.all(workers.map(({ channel }) => channel.close()));
  return { count, postgresMs };
}

const [few, ...more] = JSON.parse(PAUSED_SIZES) as { url: string; paused: number }[];
const metrics = [];
const workers = [];
for (const { url, paused } of [few!, ...more]) {
  const bench = await openKimitsu({ url });
  const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
  await advance(bench.deps, createId("worker"), runId);
  console.error(`making ${paused} paused runs`);
  await seedPaused(url, runId, paused - 1);
  metrics.push(await measureMetrics(url, paused));
  if (url === few!.url) {
    // The first time is not counted: Postgres still reports what making the runs took.
    await measureWorkers(bench, url, WORKERS[0]!);
    for (const count of WORKERS) workers.push(await measureWorkers(bench, url, count));
  }
  await bench.close();
}
console.log(JSON.stringify({ metrics, workers, secondsIdle: IDLE_MS / 1000 }));
process.exit(0);
