/**
 * What the time of a cycle goes to, one at a time: each round trip to Postgres as this process waits for it, and what
 * the process does in between, by the code it is in. Prints one line of JSON.
 */
import { Session } from "node:inspector/promises";
import pg from "pg";
import { processVariables } from "@/lib/env";
import { openByHand } from "./kimitsu-subjects";
import { measure } from "./measure.mjs";

const { DATABASE_URL: url = "", BENCH_SCALE: scale = "1" } = processVariables();
const CYCLES = Math.max(20, Math.ceil(300 * Number(scale)));
const SAMPLE_MICROSECONDS = 200;

/** Statements by a text that only they contain, the more specific first. */
const STATEMENTS: readonly [RegExp, string][] = [
  [/INSERT INTO runs /, "start, with the claim"],
  [/UPDATE runs [\s\S]*INSERT INTO approvals/, "first turn, its call and question, the park"],
  [/UPDATE runs [\s\S]*UPDATE approvals/, "decision, with the claim"],
  [/UPDATE runs [\s\S]*completed_at = /, "result, last turn, end of step and run"],
  [/UPDATE runs /, "before the call"],
  [/FROM approvals a JOIN runs r/, "the question, with its run"],
];

interface RoundTrip {
  name: string;
  ms: number;
}

interface Wire extends pg.Connection {
  parse(query: { name?: string; text: string }): void;
  bind(config: { statement?: string }): void;
  sync(): void;
}

/** Records each round trip from the last byte sent to the message that everything is done. */
function watchRoundTrips(): RoundTrip[] {
  const trips: RoundTrip[] = [];
  const texts = new Map<string, string>();
  const bound = new WeakMap<Wire, string[]>();
  const wire = pg.Connection.prototype as Wire;
  const { parse, bind, sync } = wire;
  wire.parse = function (query) {
    texts.set(query.name ?? "", query.text);
    return parse.call(this, query);
  };
  wire.bind = function (config) {
    bound.set(this, [...(bound.get(this) ?? []), config.statement ?? ""]);
    return bind.call(this, config);
  };
  wire.sync = function () {
    const names = (bound.get(this) ?? []).map((name) => nameOf(texts.get(name) ?? ""));
    bound.delete(this);
    const sentAt = performance.now();
    this.once("readyForQuery", () => trips.push({ name: names.join(" + "), ms: performance.now() - sentAt }));
    return sync.call(this);
  };
  return trips;
}

const nameOf = (text: string): string => STATEMENTS.find(([mark]) => mark.test(text))?.[1] ?? "other";

/** Where a sample was taken: the package, or the part of Kimitsu that the bundle's comments name. */
const CODE: readonly [RegExp, string][] = [
  [/node_modules\/(pg|pg-pool|pg-protocol|pg-types)\//, "database driver"],
  [/node_modules\/@prisma\//, "putting statements together"],
  [/node_modules\/(@modelcontextprotocol|zod)\//, "tool protocol and its checks"],
  [/node_modules\/(canonicalize|ulid)\/|internal\/crypto/, "canonical JSON, digests, seals, ids"],
  [/^node:|^$/, "Node: sockets, timers, promises, garbage"],
];

type Profile = Awaited<ReturnType<typeof sample>>;

async function sample(work: () => Promise<unknown>) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return profile;
}

/** Milliseconds by code, without idle time and time in which another process had the processor. */
function timeByCode({ nodes, samples = [], timeDeltas = [] }: Profile): Record<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times: Record<string, number> = {};
  for (const [place, id] of samples.entries()) {
    const { functionName = "", url: file = "" } = frames.get(id) ?? {};
    if (functionName === "(idle)" || functionName === "(root)" || functionName === "writev") continue;
    const code = CODE.find(([mark]) => mark.test(file))?.[1] ?? "engine, policy, model";
    times[code] = (times[code] ?? 0) + (timeDeltas[place] ?? 0) / 1000;
  }
  return times;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const trips = watchRoundTrips();
const subject = await openByHand({ url, onAct: () => undefined });
const cycle = async () => {
  const startedAt = performance.now();
  await subject.decide(await subject.start());
  return performance.now() - startedAt;
};
await measure({ cycle, count: 2 * CYCLES, concurrency: 4 });
trips.length = 0;
const { decisionMs: cycleMs } = await measure({ cycle, count: CYCLES, concurrency: 1 });
const waits = Object.entries(Object.groupBy(trips, ({ name }) => name)).map(([name, all = []]) => ({
  name,
  perCycle: all.length / CYCLES,
  ms: median(all.map(({ ms }) => ms)),
}));
const code = timeByCode(await sample(() => measure({ cycle, count: CYCLES, concurrency: 1 })));

const pool = new pg.Pool({ connectionString: url, max: 1 });
await pool.query("CREATE TABLE bench_floor (id bigserial PRIMARY KEY, body text)");
const commit = async () => {
  const startedAt = performance.now();
  await pool.query("INSERT INTO bench_floor (body) VALUES ('x')");
  return performance.now() - startedAt;
};
const { decisionMs: floorMs } = await measure({ cycle: commit, count: 5 * CYCLES, concurrency: 1 });
console.log(
  JSON.stringify({
    cycleMs: median(cycleMs),
    floorMs: median(floorMs),
    waits,
    code: Object.entries(code).map(([name, ms]) => ({ name, ms: ms / CYCLES })),
  }),
);
process.exit(0);
