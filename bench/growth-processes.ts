/** Runs per second of several real worker processes, whose tool takes 100 ms over HTTP. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { startRun } from "@/lib/runs/start-run";
import { processVariables } from "@/lib/env";
import { remoteCalls } from "./growth-projects";
import { openKimitsu } from "./kimitsu-runtime";
import { startSlowServer } from "./slow-server";

export const TOOL_MS = 100;
const CALLS_PER_RUN = 10;
const LOOK_MS = 20;
const WARM_UP_ROUNDS = 2;

interface Fleet {
  processes: number;
  /** Runs that one process advances at a time. */
  runsAtOnce: number;
}

export async function measureProcesses(url: string, { processes, runsAtOnce }: Fleet, rounds: number) {
  const slow = await startSlowServer(TOOL_MS);
  const bench = await openKimitsu({ url, files: remoteCalls(slow.url, CALLS_PER_RUN) });
  const { db } = bench.deps;
  const before = await db.worker.count();
  const children = Array.from({ length: processes }, () => startWorker(url, bench.root, runsAtOnce));
  try {
    while ((await db.worker.count()) < before + processes) await untilSoon(children);
    const work = async (runs: number) => {
      for (let run = 0; run < runs; run++)
        await startRun(bench.deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
      while ((await db.run.count({ where: { status: { in: ["pending", "running"] } } })) > 0) await untilSoon(children);
    };
    // A new process compiles its code, connects, and has Postgres plan its statements: that is paid once, however long
    // it runs.
    await work(WARM_UP_ROUNDS * processes * runsAtOnce);
    slow.answeredAt.length = 0;
    const runs = rounds * processes * runsAtOnce;
    const idleFrom = readProcessors();
    await work(runs);
    const idleTo = readProcessors();
    const calls = runs * CALLS_PER_RUN;
    if (slow.answeredAt.length !== calls) throw new Error(`${calls} calls were due, ${slow.answeredAt.length} came`);
    const seconds = (slow.answeredAt.at(-1)! - slow.answeredAt[0]! + TOOL_MS) / 1000;
    return {
      processes,
      runsAtOnce,
      callsPerSecond: calls / seconds,
      busy: 1 - (idleTo.idle - idleFrom.idle) / (idleTo.all - idleFrom.all),
    };
  } finally {
    await Promise.all(children.map(stop));
    slow.close();
    await bench.close();
  }
}

/** Milliseconds of all processors together since the machine started. */
function readProcessors() {
  const times = os.cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  return {
    idle,
    all: times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0),
  };
}

async function untilSoon(children: ChildProcess[]): Promise<void> {
  await delay(LOOK_MS);
  if (children.some(({ exitCode }) => exitCode !== null)) throw new Error("a worker process ended by itself");
}

export function startWorker(url: string, root: string, runsAtOnce: number): ChildProcess {
  const { PATH, AUTH_SECRET } = processVariables();
  const env = {
    PATH,
    AUTH_SECRET,
    DATABASE_URL: url,
    NODE_ENV: "production",
    LOG_LEVEL: "fatal",
    KIMITSU_PROJECT: root,
    KIMITSU_DATA: path.dirname(root),
    KIMITSU_ALLOW_HOSTS: "127.0.0.1",
    KIMITSU_WORKERS: String(runsAtOnce),
  };
  return spawn(process.execPath, ["scripts/run-ts.mjs", "lib/runs/worker/main.ts"], {
    env: env as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
