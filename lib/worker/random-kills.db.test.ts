import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval, type DecidedBy } from "@/lib/engine/decide-approval";
import { settleCall } from "@/lib/engine/settle-call";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { processVariables } from "@/lib/env";
import { useDatabase } from "@/lib/testing/database";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { ASKED_TOOL, countCalls, FREE_TOOL, startTwoCalls, twoCallsProject } from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet, type WorkerProcess } from "@/lib/testing/worker-process";

/** The full measure is CHAOS_RUNS=200 CHAOS_SECONDS=60; what runs each time is shorter. The same seed kills at the same moments. */
const given = processVariables();
const RUNS = Number(given.CHAOS_RUNS ?? 60);
const SECONDS = Number(given.CHAOS_SECONDS ?? 15);
const SEED = Number(given.CHAOS_SEED ?? Date.now() % 2 ** 31);
const PROCESSES = 3;

const database = useDatabase();
let fleet: Fleet;
afterAll(() => fleet?.close());

/** Numbers from 0 to 1 that a seed alone decides. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(verifies("engine:random-kills", `${RUNS} runs on ${PROCESSES} processes that are killed at random for ${SECONDS} s: all end, none lost, none doubled`), { timeout: (SECONDS + 120) * 1000 }, async () => {
  console.log(`seed ${SEED}`);
  const server = await startRecordingServer({});
  fleet = await openFleet(database, twoCallsProject(server.url));
  const person = await fleet.person("Rea");
  const over = new AbortController();
  const started: string[] = [];
  const [kills] = await Promise.all([
    killAtRandom(SECONDS * 1000).finally(() => over.abort()),
    startSteadily(started),
    actAsPeople(server, person, over.signal, started),
  ]);

  console.log(`${kills} kills`);
  expect(kills).toBeGreaterThan(1);
  const runs = await database.db.run.findMany({ include: { turns: true } });
  expect(runs.map((run) => run.status)).toEqual(started.map(() => "complete"));
  for (const run of runs) {
    const { tag } = run.params as { tag: string };
    expect(run.output).toEqual({ work: { tag, free: "succeeded", asked: "succeeded" } });
    expect(run.turns.map((turn) => turn.number).toSorted()).toEqual([1, 2]);
    for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, tag), `${tool} for ${tag}`).toBe(1);
  }
  expect(await verifyAudit(fleet.deps)).toMatchObject({ ok: true });
  await server.close();
});

/** Each kill is followed by a new process, so that there are always some. */
async function killAtRandom(forMs: number): Promise<number> {
  const random = createRandom(SEED);
  const workers: (WorkerProcess | null)[] = await Promise.all(Array.from({ length: PROCESSES }, () => fleet.startWorker()));
  const starting: Promise<unknown>[] = [];
  const until = performance.now() + forMs;
  let kills = 0;
  while (performance.now() < until) {
    await delay(200 + random() * 1_300);
    const place = Math.floor(random() * PROCESSES);
    const victim = workers[place];
    if (!victim) continue;
    workers[place] = null;
    await victim.stop("SIGKILL");
    kills += 1;
    starting.push(fleet.startWorker().then((worker) => (workers[place] = worker)));
  }
  await Promise.all(starting);
  return kills;
}

/** Over the first three quarters of the time, so that kills meet runs at every stage. */
async function startSteadily(started: string[]): Promise<void> {
  for (let index = 0; index < RUNS; index++) {
    started.push((await startTwoCalls(fleet.deps, `run-${index}`)).runId);
    await delay((SECONDS * 750) / RUNS);
  }
}

/** Approves what waits, under the hands of workers too, and settles what is unknown by what the server says; until all runs are over. */
async function actAsPeople(server: RecordingServer, by: DecidedBy, killsOver: AbortSignal, started: string[]): Promise<void> {
  const { db } = database;
  await until(
    async () => {
      for (const approval of await db.approval.findMany({ where: { status: "pending" }, select: { id: true } })) await decideApproval(fleet.deps, by, { approvalId: approval.id, verdict: "approved" });
      for (const call of await db.call.findMany({ where: { status: "outcome_unknown" }, include: { run: { select: { params: true } } } })) {
        const happened = (await countCalls(server, call.tool, (call.run.params as { tag: string }).tag)) > 0;
        await settleCall(fleet.deps, by.actor, { callId: call.id, outcome: happened ? "happened" : "did_not_happen" });
      }
      return { open: await db.run.count({ where: { completedAt: null } }), started: started.length, killing: !killsOver.aborted };
    },
    { what: "all runs end", timeoutMs: (SECONDS + 90) * 1000, isDone: (seen) => seen.open === 0 && seen.started === RUNS && !seen.killing },
  );
}
