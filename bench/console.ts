/**
 * Each question of the console at both sizes, in turns, so that other load on the machine affects both; and the plans
 * that Postgres made.
 */
import pg from "pg";
import { connect, type Db } from "@/lib/database/client";
import { processVariables } from "@/lib/env";
import { QUESTIONS } from "./console-questions";
import { seedConsole } from "./seed-console";
import { findWholeReads, watchStatements } from "./console-plans";

const ROUNDS = 25;
/** Postgres chooses the plan of a prepared statement after five executions. */
const WARM_UP = 8;

const { SMALL_URL: smallUrl = "", LARGE_URL: largeUrl = "", BENCH_RUNS: runs = "1000,100000" } = processVariables();
const [smallRuns = 1000, largeRuns = 100_000] = runs.split(",").map(Number);

/** Other load only ever adds time, so the faster quarter is more reliable than the median. */
const quartile = (times: number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 4)] ?? 0;
async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const say = (text: string) => console.error(text);
say(`Making ${smallRuns.toLocaleString("en")} and ${largeRuns.toLocaleString("en")} runs …`);
const sides: { db: Db; seeded: Awaited<ReturnType<typeof seedConsole>> }[] = [];
for (const [url, count] of [
  [smallUrl, smallRuns],
  [largeUrl, largeRuns],
] as const)
  sides.push({ seeded: await seedConsole(url, count), db: connect(url, 10) });
const [small, large] = sides;
if (!small || !large) throw new Error("unreachable: there are two sides");
const plans = new pg.Client({ connectionString: largeUrl });
await plans.connect();

const results = [];
for (const { page, what, ask } of QUESTIONS) {
  const asked = [() => ask(small.db, small.seeded), () => ask(large.db, large.seeded)] as const;
  for (let n = 0; n < WARM_UP; n++) for (const question of asked) await question();
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < ROUNDS; n++) for (const side of [0, 1] as const) times[side].push(await time(asked[side]));
  const statements = await watchStatements(asked[1]);
  results.push({
    page,
    what,
    smallMs: quartile(times[0]),
    largeMs: quartile(times[1]),
    wholeReads: await findWholeReads(plans, statements),
  });
}
console.log(JSON.stringify(results));
await plans.end();
for (const { db } of sides) await db.$disconnect();
process.exit(0);
