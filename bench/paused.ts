/**
 * What a decision takes, and what a worker process needs, beside few and beside very many paused runs. Prints one line
 * of JSON.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { decideApproval } from "@/lib/approvals/decide-approval";
import type { Runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { until } from "@/lib/testing/until";
import { startWorker, stop } from "./growth-processes";
import { createReviewer, openKimitsu } from "./kimitsu-runtime";
import { readMb } from "./load-memory";
import { loadProject } from "./load-project.mjs";
import { seedPaused } from "@/lib/testing/seed-paused";
import { startSlowServer } from "./slow-server";

const { PAUSED_SIZES = "[]", BENCH_SCALE: scale = "1" } = processVariables();
const WARM_UP = 30;
const RUNS_AT_ONCE = 4;
const CYCLES = Math.max(20, Math.ceil(400 * Number(scale)));
const WAIT_MS = 60_000;
/** An idle process returns memory that it needed for a moment. */
const REST_MS = 3_000;

const tool = await startSlowServer(0);

/** A database with so many paused runs, and a worker process on it. */
async function openSize({ url, paused }: { url: string; paused: number }) {
  const bench = await openKimitsu({ url, files: loadProject(tool.url) });
  const channel = openWakeChannel(url, createId("worker"), () => undefined);
  const deps: Runtime = { ...bench.deps, wake: (runId) => channel.call(runId) };
  const by = await createReviewer(deps);
  const worker = startWorker(url, bench.root, RUNS_AT_ONCE);
  const statusOf = async (runId: string) =>
    await deps.db.run.findUniqueOrThrow({ where: { id: runId }, select: { status: true, leaseOwner: true } });
  const untilParked = async () => {
    const { runId } = await startRun(deps, { workflow: "asked", params: { tag: "t" }, actor: SYSTEM_ACTOR });
    await until(() => statusOf(runId), {
      what: `run ${runId} parked`,
      timeoutMs: WAIT_MS,
      isDone: ({ status, leaseOwner }) => status === "pending_approval" && leaseOwner === null,
    });
    return runId;
  };
  const decideToDone = async () => {
    const runId = await untilParked();
    const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId }, select: { id: true } });
    const decidedAt = performance.now();
    await decideApproval(deps, by, { approvalId: id, verdict: "approved" });
    // Polled without a pause: the time of one poll is the same for all sizes, a pause would round them.
    while ((await statusOf(runId)).status !== "complete")
      if (performance.now() - decidedAt > WAIT_MS) throw new Error(`run ${runId} did not end`);
    return performance.now() - decidedAt;
  };
  if (paused > 0) {
    console.error(`making ${paused} paused runs`);
    await seedPaused(url, await untilParked(), paused);
  }
  for (let cycle = 0; cycle < WARM_UP; cycle++) await decideToDone();
  const close = async () => {
    await stop(worker);
    await channel.close();
    await bench.close();
  };
  return {
    paused,
    decideToDone,
    memoryMb: () => readMb({ name: "worker", pid: worker.pid! }),
    times: [] as number[],
    close,
  };
}

const sizes = [];
for (const size of JSON.parse(PAUSED_SIZES) as { url: string; paused: number }[]) sizes.push(await openSize(size));
// In turns, each time in another order, so that other load on the machine affects all.
for (let cycle = 0; cycle < CYCLES; cycle++) {
  for (let turn = 0; turn < sizes.length; turn++) {
    const size = sizes[(cycle + turn) % sizes.length]!;
    size.times.push(await size.decideToDone());
  }
}
await delay(REST_MS);
const results = sizes.map(({ paused, times, memoryMb }) => {
  times.sort((a, b) => a - b);
  return {
    paused,
    cycles: times.length,
    p50: times[Math.floor(times.length / 2)],
    p99: times[Math.floor(times.length * 0.99)],
    memoryMb: memoryMb(),
  };
});
console.log(JSON.stringify(results));
for (const { close } of sizes) await close();
tool.close();
process.exit(0);
