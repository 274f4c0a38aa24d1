/**
 * Random faults while runs go through several processes, workers and serving ones: kills, stops, restarts of Postgres,
 * cut connections, a slow tool server. A seed decides what happens to which process and when; the effect differs a
 * little each time.
 */
import { setTimeout as delay } from "node:timers/promises";
import { LEASE_MS } from "@/lib/limits";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { type ChaosClient, createChaosClient, patiently } from "@/lib/testing/chaos-client";
import type { PrivatePostgres } from "@/lib/testing/private-postgres";
import type { RecordingServer } from "@/lib/testing/recording-server";
import { ASKED_TOOL, FREE_TOOL } from "@/lib/testing/two-calls";
import type { Fleet, WebProcess, WorkerProcess } from "@/lib/testing/worker-process";

const FAULTS = ["kill", "kill", "kill", "stop", "cut", "slow", "restart"] as const;
type Fault = (typeof FAULTS)[number];
/** Runs that a serving process advances at a time; what it starts beyond that is for others. */
const WEB_RUNS = 4;
const STARTERS = 4;

/** By what happened, and for kills and stops also to which kind of process. */
export type FaultCounts = Record<Fault | "kill-web" | "stop-web", number>;

export interface ChaosPlan {
  seed: number;
  /** Processes that only advance runs. */
  processes: number;
  /** Processes that serve people, and advance what these start and decide. */
  webs: number;
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
  /** Calls that arrived more than once at the server, by its own record. */
  doubled: string[];
  faults: FaultCounts;
  takeovers: { count: number; p50Ms: number | null; maxMs: number | null };
  /** Calls that a person had to settle. */
  unknownOutcomes: number;
  /** Processes that ended by themselves, with the end of their output. */
  died: string[];
  /** Chains of the trail that do not verify, among the first hundred findings. */
  brokenChains: number;
}

/** Numbers from 0 to 1, determined by a seed. */
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
  const seen: Seen = { gone: new Map(), died: [], isOver: false };
  const webs = await fillPlaces(plan.webs, () => bench.fleet.startWeb({ runs: WEB_RUNS }), seen);
  const client = await createChaosClient(bench, webs.list);
  const [faults] = await Promise.all([
    faultAtRandom(bench, plan, webs, seen).finally(() => over.abort()),
    actAsPeople(bench, client, () => over.signal.aborted && started.length === plan.runs),
    startSteadily(client, plan, started),
  ]);
  seen.isOver = true;
  return judge(bench, { started, faults, seen });
}

/** What is recorded while it runs. */
interface Seen {
  /** When each one was killed, or stopped for longer than its leases. */
  gone: Map<string, number>;
  died: string[];
  isOver: boolean;
}

interface Places<P> {
  /** Null between the end of one and the start of the next. */
  list: (P | null)[];
  /** Starts one in this place. One that ends without being removed has died, and is replaced. */
  fill(place: number): Promise<void>;
}

async function fillPlaces<P extends WorkerProcess>(
  count: number,
  start: () => Promise<P>,
  seen: Seen,
): Promise<Places<P>> {
  const list: (P | null)[] = Array.from({ length: count }, () => null);
  const fill = async (place: number) => {
    const found = await startAgain(start);
    list[place] = found;
    void found.ended.then(({ code, signal }) => {
      if (list[place] !== found || seen.isOver) return;
      list[place] = null;
      const words = `${found.ownerId} (${signal ?? `code ${code}`}): ${found.complaints()}`;
      seen.died.push(words);
      console.error(`ended by itself: ${words}`);
      return fill(place);
    });
  };
  await Promise.all(list.map((_, place) => fill(place)));
  return { list, fill };
}

/** The first one killed is a serving one, if there are any. */
async function faultAtRandom(
  { fleet, postgres, server }: ChaosBench,
  { seed, processes, ms, everyMs }: ChaosPlan,
  webs: Places<WebProcess>,
  seen: Seen,
): Promise<FaultCounts> {
  const random = createRandom(seed);
  const workers = await fillPlaces(processes, () => fleet.startWorker(), seen);
  const under: Promise<unknown>[] = [];
  const faults: FaultCounts = { kill: 0, "kill-web": 0, stop: 0, "stop-web": 0, cut: 0, slow: 0, restart: 0 };
  const end = performance.now() + ms;
  /** Stopped serving processes still get requests, and no other fault meanwhile. */
  const stopped = new Set<WorkerProcess>();
  interface Victim {
    found: WorkerProcess;
    leave: () => void;
    /** Starts another one in its place. */
    again: () => Promise<unknown>;
  }
  const among = ({ list, fill }: Places<WorkerProcess>, place: number): Victim | null => {
    const found = list[place];
    return found && !stopped.has(found)
      ? { found, leave: () => void (list[place] = null), again: () => fill(place) }
      : null;
  };
  const webCount = webs.list.length;
  const find = (place: number) => (place < webCount ? among(webs, place) : among(workers, place - webCount));
  const acts: Record<Fault, (victim: Victim) => Promise<unknown>> = {
    kill: async ({ found, leave, again }) => {
      leave();
      seen.gone.set(found.ownerId, Date.now());
      await found.stop("SIGKILL");
      under.push(again());
    },
    // Longer than a lease, or shorter. Requests to a stopped serving process get no answer meanwhile.
    stop: async ({ found }) => {
      stopped.add(found);
      const forMs = LEASE_MS * (0.2 + 1.4 * random());
      if (forMs > LEASE_MS) seen.gone.set(found.ownerId, Date.now());
      signal(found, "SIGSTOP");
      under.push(
        delay(forMs).then(() => {
          signal(found, "SIGCONT");
          stopped.delete(found);
        }),
      );
    },
    cut: () =>
      postgres.db
        .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5`,
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
  for (let isFirst = true; performance.now() < end;) {
    await delay(everyMs * (0.3 + 1.4 * random()));
    const fault = isFirst ? "kill" : FAULTS[Math.floor(random() * FAULTS.length)]!;
    const place = isFirst ? 0 : Math.floor(random() * (webCount + processes));
    const victim = find(place);
    if (!victim) continue;
    isFirst = false;
    await patiently(() => acts[fault](victim));
    const isWeb = place < webCount;
    faults[isWeb && fault === "kill" ? "kill-web" : isWeb && fault === "stop" ? "stop-web" : fault] += 1;
  }
  await Promise.all(under);
  return faults;
}

/** A dead process gets no signal. */
function signal({ pid }: WorkerProcess, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A start may coincide with a restart of the database. */
async function startAgain<P>(start: () => Promise<P>): Promise<P> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === 10) throw error;
      await delay(500);
    }
  }
}

/** Over the first three quarters of the time, so that faults hit runs at every stage. */
async function startSteadily(client: ChaosClient, { runs, ms }: ChaosPlan, started: string[]): Promise<void> {
  // Several, so that one that waits for an answer delays no other; and few, so that a slow machine is not given ever
  // more work.
  const starter = async (first: number) => {
    for (let index = first; index < runs; index += STARTERS) {
      started.push(await client.start(index));
      await delay((ms * 0.75 * STARTERS) / runs);
    }
  };
  await Promise.all(Array.from({ length: STARTERS }, (_, first) => starter(first)));
}

/**
 * Approves what waits, also while a worker has the run, and settles unknown outcomes by the server's record, until all
 * runs have ended.
 */
async function actAsPeople(
  { fleet: { deps }, server }: ChaosBench,
  client: ChaosClient,
  isLast: () => boolean,
): Promise<void> {
  const lookAround = async () => {
    const pending = await deps.db.approval.findMany({ where: { status: "pending" }, select: { id: true } });
    await Promise.all(pending.map(({ id }) => client.approve(id)));
    const open = await deps.db.call.findMany({
      where: { status: "outcome_unknown" },
      include: { run: { select: { params: true } } },
    });
    const sent = open.length > 0 ? await server.calls() : [];
    for (const call of open) {
      const { tag } = call.run.params as { tag: string };
      const happened = sent.some((each) => each.tool === call.tool && (each.arguments as { tag?: string }).tag === tag);
      await client.settle(call.id, happened ? "happened" : "did_not_happen");
    }
    return deps.db.run.count({ where: { completedAt: null } });
  };
  for (;;) {
    const open = await patiently(lookAround);
    if (open === 0 && isLast()) return;
    await delay(100);
  }
}

interface Aftermath {
  started: string[];
  faults: FaultCounts;
  seen: Seen;
}

async function judge(
  { postgres: { db }, fleet, server }: ChaosBench,
  { started, faults, seen }: Aftermath,
): Promise<ChaosReport> {
  const runs = await db.run.findMany({ include: { turns: { select: { number: true } } } });
  const isWhole = (run: (typeof runs)[number]) => {
    const { tag } = run.params as { tag: string };
    return (
      run.status === "complete" &&
      JSON.stringify(run.output) === JSON.stringify({ tag, free: "succeeded", asked: "succeeded" }) &&
      run.turns.length === 2
    );
  };
  const arrivals = new Map<string, number>();
  for (const call of await server.calls()) {
    const key = `${call.tool} of ${(call.arguments as { tag?: string }).tag}`;
    arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
  }
  const expected = runs.flatMap((run) =>
    [FREE_TOOL, ASKED_TOOL].map((tool) => `${tool} of ${(run.params as { tag: string }).tag}`),
  );
  const trail = await verifyAudit(fleet.deps);
  const waits = (await db.event.findMany({ where: { type: "run.taken_over" }, select: { at: true, data: true } }))
    .flatMap(({ at, data }) => {
      const { from_worker: from } = data as { from_worker: string };
      const since = seen.gone.get(from);
      return since === undefined ? [] : [at.getTime() - since];
    })
    .toSorted((a, b) => a - b);
  return {
    runs: runs.length,
    complete: runs.filter(isWhole).length,
    lost: [
      ...started.filter((id) => !runs.some((run) => run.id === id)),
      ...runs
        .filter((run) => !isWhole(run))
        .map((run) => `${run.id} ${run.status} ${JSON.stringify(run.error ?? run.output)}`),
      ...expected.filter((key) => !arrivals.has(key)),
    ],
    doubled: [...arrivals].filter(([, count]) => count > 1).map(([key, count]) => `${key}: ${count}`),
    faults,
    takeovers: { count: waits.length, p50Ms: waits[Math.floor(waits.length / 2)] ?? null, maxMs: waits.at(-1) ?? null },
    unknownOutcomes: await db.event.count({ where: { type: "call.settled" } }),
    died: seen.died,
    brokenChains: new Set(trail.findings.map(({ row }) => row.split(" ")[0])).size,
  };
}
