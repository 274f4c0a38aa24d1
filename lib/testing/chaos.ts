/**
 * Faults at random while runs go through several processes: kills, stops, restarts of Postgres, cut connections, a tool server that
 * takes its time. A seed decides what happens to whom and when; what a machine makes of it differs a little each time.
 */
import { setTimeout as delay } from "node:timers/promises";
import { LEASE_MS } from "@/lib/domain/limits";
import { decideApproval, type DecidedBy } from "@/lib/engine/decide-approval";
import { settleCall } from "@/lib/engine/settle-call";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { KimitsuError } from "@/lib/errors";
import { isDatabaseAway } from "@/lib/store/database-away";
import type { PrivatePostgres } from "@/lib/testing/private-postgres";
import type { RecordingServer } from "@/lib/testing/recording-server";
import { ASKED_TOOL, FREE_TOOL, startTwoCalls } from "@/lib/testing/two-calls";
import type { Fleet, WorkerProcess } from "@/lib/testing/worker-process";

const FAULTS = ["kill", "kill", "kill", "stop", "cut", "slow", "restart"] as const;
type Fault = (typeof FAULTS)[number];

export interface ChaosPlan {
  seed: number;
  processes: number;
  runs: number;
  ms: number;
  /** The mean time between two faults. */
  everyMs: number;
}

export interface ChaosBench {
  postgres: PrivatePostgres;
  fleet: Fleet;
  server: RecordingServer;
  person: DecidedBy;
}

export interface ChaosReport {
  runs: number;
  complete: number;
  /** Runs that did not end, or not as they should. */
  lost: string[];
  /** Calls that arrived more than once at the server, by its own word. */
  doubled: string[];
  faults: Record<Fault, number>;
  takeovers: { count: number; p50Ms: number | null; maxMs: number | null };
  /** Calls of which a person had to say what became of them. */
  unknownOutcomes: number;
  /** Chains of the trail that do not verify, among the first hundred findings. */
  brokenChains: number;
}

/** Numbers from 0 to 1 that a seed alone decides. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export async function runChaos(bench: ChaosBench, plan: ChaosPlan): Promise<ChaosReport> {
  const over = new AbortController();
  const started: string[] = [];
  const gone = new Map<string, number>();
  const [faults, unknown] = await Promise.all([
    faultAtRandom(bench, plan, gone).finally(() => over.abort()),
    actAsPeople(bench, () => over.signal.aborted && started.length === plan.runs),
    startSteadily(bench, plan, started),
  ]);
  return judge(bench, { started, faults, gone, unknown });
}

/** Each process that is gone is followed by a new one, so that there are always some. */
async function faultAtRandom({ fleet, postgres, server }: ChaosBench, { seed, processes, ms, everyMs }: ChaosPlan, gone: Map<string, number>): Promise<Record<Fault, number>> {
  const random = createRandom(seed);
  const workers: (WorkerProcess | null)[] = await Promise.all(Array.from({ length: processes }, () => fleet.startWorker()));
  const under: Promise<unknown>[] = [];
  const faults: Record<Fault, number> = { kill: 0, stop: 0, cut: 0, slow: 0, restart: 0 };
  const end = performance.now() + ms;
  const acts: Record<Fault, (worker: WorkerProcess, place: number) => Promise<unknown>> = {
    kill: async (worker, place) => {
      workers[place] = null;
      gone.set(worker.ownerId, Date.now());
      await worker.stop("SIGKILL");
      under.push(startAgain(fleet).then((next) => (workers[place] = next)));
    },
    // Longer than a lease, or shorter.
    stop: async (worker, place) => {
      workers[place] = null;
      const forMs = LEASE_MS * (0.2 + 1.4 * random());
      if (forMs > LEASE_MS) gone.set(worker.ownerId, Date.now());
      process.kill(worker.pid, "SIGSTOP");
      under.push(delay(forMs).then(() => {
        process.kill(worker.pid, "SIGCONT");
        workers[place] = worker;
      }));
    },
    cut: () => postgres.db.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5`,
    slow: async () => {
      const tool = random() < 0.5 ? FREE_TOOL : ASKED_TOOL;
      await server.hold(tool);
      under.push(delay(500 + 2_500 * random()).then(() => server.release(tool)));
    },
    restart: async () => {
      await postgres.stop();
      await delay(200 + 800 * random());
      await postgres.start();
    },
  };
  while (performance.now() < end) {
    await delay(everyMs * (0.3 + 1.4 * random()));
    const fault = FAULTS[Math.floor(random() * FAULTS.length)]!;
    const place = Math.floor(random() * processes);
    const worker = workers[place];
    if (!worker) continue;
    await patiently(() => acts[fault](worker, place));
    faults[fault] += 1;
  }
  await Promise.all(under);
  return faults;
}

/** A start may fall into a restart of the database. */
async function startAgain(fleet: Fleet): Promise<WorkerProcess> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fleet.startWorker();
    } catch (error) {
      if (tries === 10) throw error;
      await delay(500);
    }
  }
}

/** Over the first three quarters of the time, so that faults meet runs at every stage. */
async function startSteadily({ fleet }: ChaosBench, { runs, ms }: ChaosPlan, started: string[]): Promise<void> {
  let tries = 0;
  for (let index = 0; index < runs; index++) {
    // A start whose answer was lost may have happened; the next try is another run.
    const { runId } = await patiently(() => startTwoCalls(fleet.deps, `run-${index}-${++tries}`));
    started.push(runId);
    await delay((ms * 0.75) / runs);
  }
}

/** Approves what waits, under the hands of workers too, and settles what is unknown by what the server says; until all runs are over. Says how often it settled. */
async function actAsPeople({ fleet, server, person }: ChaosBench, isLast: () => boolean): Promise<number> {
  const { deps } = fleet;
  let unknown = 0;
  const lookAround = async () => {
    const pending = await deps.db.approval.findMany({ where: { status: "pending" }, select: { id: true } });
    for (const { id } of pending) await orTooLate(decideApproval(deps, person, { approvalId: id, verdict: "approved" }));
    const open = await deps.db.call.findMany({ where: { status: "outcome_unknown" }, include: { run: { select: { params: true } } } });
    const sent = open.length > 0 ? await server.calls() : [];
    for (const call of open) {
      const { tag } = call.run.params as { tag: string };
      const happened = sent.some((each) => each.tool === call.tool && (each.arguments as { tag?: string }).tag === tag);
      if (await orTooLate(settleCall(deps, person.actor, { callId: call.id, outcome: happened ? "happened" : "did_not_happen" }))) unknown += 1;
    }
    return deps.db.run.count({ where: { completedAt: null } });
  };
  for (;;) {
    const open = await patiently(lookAround);
    if (open === 0 && isLast()) return unknown;
    await delay(100);
  }
}

/** True when it was recorded; false when the run was quicker, or a lost answer had recorded it before. */
async function orTooLate(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof KimitsuError && error.code === "conflict") return false;
    throw error;
  }
}

/** Again while the database is away. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await delay(200);
    }
  }
}

interface Aftermath {
  started: string[];
  faults: Record<Fault, number>;
  gone: Map<string, number>;
  unknown: number;
}

async function judge({ postgres: { db }, fleet, server }: ChaosBench, { started, faults, gone, unknown }: Aftermath): Promise<ChaosReport> {
  const runs = await db.run.findMany({ include: { turns: { select: { number: true } } } });
  const isWhole = (run: (typeof runs)[number]) => {
    const { tag } = run.params as { tag: string };
    return run.status === "complete" && JSON.stringify(run.output) === JSON.stringify({ tag, free: "succeeded", asked: "succeeded" }) && run.turns.length === 2;
  };
  const arrivals = new Map<string, number>();
  for (const call of await server.calls()) {
    const key = `${call.tool} of ${(call.arguments as { tag?: string }).tag}`;
    arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
  }
  const expected = runs.flatMap((run) => [FREE_TOOL, ASKED_TOOL].map((tool) => `${tool} of ${(run.params as { tag: string }).tag}`));
  const trail = await verifyAudit(fleet.deps);
  const waits = (await db.event.findMany({ where: { type: "run.taken_over" }, select: { at: true, body: true } })).flatMap(({ at, body }) => {
    const from = (JSON.parse(body) as { data: { from_worker: string } }).data.from_worker;
    const since = gone.get(from);
    return since === undefined ? [] : [at.getTime() - since];
  }).toSorted((a, b) => a - b);
  return {
    runs: runs.length,
    complete: runs.filter(isWhole).length,
    lost: [...started.filter((id) => !runs.some((run) => run.id === id)), ...runs.filter((run) => !isWhole(run)).map((run) => `${run.id} ${run.status} ${JSON.stringify(run.error ?? run.output)}`), ...expected.filter((key) => !arrivals.has(key))],
    doubled: [...arrivals].filter(([, count]) => count > 1).map(([key, count]) => `${key}: ${count}`),
    faults,
    takeovers: { count: waits.length, p50Ms: waits[Math.floor(waits.length / 2)] ?? null, maxMs: waits.at(-1) ?? null },
    unknownOutcomes: unknown,
    brokenChains: new Set(trail.findings.map(({ row }) => row.split(" ")[0])).size,
  };
}
