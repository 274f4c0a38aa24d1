/** What a run costs as runs, arguments, projects and processes grow. Prints one line of JSON. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import { longRun, manyAgents, remoteModel } from "./growth-projects";
import { measureProcesses, TOOL_MS } from "./growth-processes";
import { advance, createReviewer, type KimitsuBench, openKimitsu } from "./kimitsu-runtime";
import { cost, measure } from "./measure.mjs";

const { DATABASE_URL: url = "", BENCH_SCALE: scale = "1" } = processVariables();
const times = (count: number) => Math.max(1, Math.ceil(count * Number(scale)));
const WARM_UP = 3;
/** With few runs each, the cost of the processes to one another shows; with more, the limit of the machine. */
const FLEETS = [2, 4].flatMap((runsAtOnce) => [1, 2, 4].map((processes) => ({ processes, runsAtOnce })));
const owner = createId("worker");
const client = new pg.Client({ connectionString: url });
await client.connect();

async function runOnce({ deps }: KimitsuBench): Promise<string> {
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
  await advance(deps, owner, runId);
  return runId;
}

async function mustComplete({ deps }: KimitsuBench, runId: string): Promise<void> {
  const { status, error } = await deps.db.run.findUniqueOrThrow({
    where: { id: runId },
    select: { status: true, error: true },
  });
  if (status !== "complete") throw new Error(`run ${runId} is ${status}: ${JSON.stringify(error)}`);
}

/**
 * The whole run per turn; and in the same run its first and its last part, where growth would show however busy the
 * machine is.
 */
async function measureTurns(turns: number, runs: number) {
  const actedAt: number[] = [];
  const bench = await openKimitsu({ url, files: longRun(turns), onAct: () => void actedAt.push(performance.now()) });
  if (runs > 1) await runOnce(bench);
  const [first, last]: [number[], number[]] = [[], []];
  const part = Math.max(5, turns / 10);
  const cycle = async () => {
    actedAt.length = 0;
    const startedAt = performance.now();
    const runId = await runOnce(bench);
    const tookMs = performance.now() - startedAt;
    await mustComplete(bench, runId);
    first.push(meanGap(actedAt.slice(0, part)));
    last.push(meanGap(actedAt.slice(-part)));
    return tookMs;
  };
  const { p50, walBytes } = await cost(client, runs, () => measure({ cycle, count: runs, concurrency: 1 }));
  await bench.close();
  return {
    turns,
    msPerTurn: p50 / turns,
    firstMsPerTurn: median(first),
    lastMsPerTurn: median(last),
    walPerTurn: walBytes / turns,
  };
}

const meanGap = (times: number[]) => ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1);
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function openApproved(files: Record<string, string>) {
  const bench = await openKimitsu({ url, files });
  const by = await createReviewer(bench.deps);
  const cycle = async () => {
    const startedAt = performance.now();
    const runId = await runOnce(bench);
    const { id } = await bench.deps.db.approval.findFirstOrThrow({ where: { runId }, select: { id: true } });
    await decideApproval(bench.deps, by, { approvalId: id, verdict: "approved" });
    await advance(bench.deps, owner, runId);
    const tookMs = performance.now() - startedAt;
    await mustComplete(bench, runId);
    return tookMs;
  };
  await measure({ cycle, count: WARM_UP, concurrency: 1 });
  return { bench, cycle };
}

/** Postgres compresses long values; this one is incompressible. */
const randomText = (bytes: number) => randomBytes(bytes).toString("base64").slice(0, bytes);

async function measureArguments(bytes: number, runs: number) {
  const provider = await startChatServer();
  const turns = [
    chatAnswer({
      calls: [
        { id: "call_1", name: "mcp__kimitsu-memory__act", arguments: JSON.stringify({ text: randomText(bytes) }) },
      ],
      finish_reason: "tool_calls",
    }),
    chatAnswer({ content: "done" }),
  ];
  provider.reply(...Array.from({ length: runs + WARM_UP }, () => turns).flat());
  const { bench, cycle } = await openApproved(remoteModel(provider.url));
  const { p50, walBytes } = await cost(client, runs, () => measure({ cycle, count: runs, concurrency: 1 }));
  await bench.close();
  await provider.close();
  return { bytes, ms: p50, walBytes };
}

async function measureAgents(agents: number, runs: number) {
  const files = manyAgents(agents);
  const openedFrom = performance.now();
  const { bench, cycle } = await openApproved(files);
  const openMs = performance.now() - openedFrom;
  const { p50, walBytes } = await cost(client, runs, () => measure({ cycle, count: runs, concurrency: 1 }));
  await bench.close();
  return { agents, ms: p50, walBytes, openMs };
}

/** One after the other, each printed as soon as it is known. */
async function inTurn<Size, Result>(
  what: string,
  sizes: readonly Size[],
  measureOne: (size: Size) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const size of sizes) {
    const result = await measureOne(size);
    console.error(what, JSON.stringify(result));
    results.push(result);
  }
  return results;
}

const results = {
  turns: await inTurn(
    "turns",
    [
      { turns: 10, runs: 30 },
      { turns: 100, runs: 6 },
      { turns: 1000, runs: 1 },
    ],
    ({ turns, runs }) => measureTurns(turns, times(runs)),
  ),
  arguments: await inTurn(
    "arguments",
    [
      { bytes: 1_000, runs: 100 },
      { bytes: 10_000, runs: 100 },
      { bytes: 100_000, runs: 50 },
      { bytes: 1_000_000, runs: 10 },
    ],
    ({ bytes, runs }) => measureArguments(bytes, times(runs)),
  ),
  agents: await inTurn("agents", [10, 100, 1000], (agents) => measureAgents(agents, times(100))),
  processes: await inTurn("processes", FLEETS, (fleet) => measureProcesses(url, fleet, times(3))),
  settings: { toolMs: TOOL_MS },
};
console.log(JSON.stringify(results));
await client.end();
process.exit(0);
