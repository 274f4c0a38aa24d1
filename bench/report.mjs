/** The sections of docs/benchmarks.md, ratios first. */
import { FIELD } from "./field.mjs";

const ROUND_TITLES = (rounds) =>
  rounds.map(({ concurrency }) => (concurrency === 1 ? "one at a time" : `${concurrency} at once`));
export const format = (value, digits = 0) =>
  Number.isFinite(value)
    ? value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })
    : "–";
export const ratio = (value) => `${format(value, value < 10 ? 2 : 0)} ×`;
export const table = (head, rows) =>
  [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
const bytes = (value) => (value < 1_000_000 ? `${format(value / 1000)} KB` : `${format(value / 1_000_000)} MB`);

/** `subjects` by name: `{ rounds, twice, crashes }`; `versions` by package. */
export function describePeers({ rounds, subjects, floor, versions }) {
  const titles = ROUND_TITLES(rounds);
  const ours = subjects.kimitsu.rounds;
  const peers = FIELD.filter(({ driver }) => !driver);
  const versionOf = ({ packages }) => packages.map((name) => `${name} ${versions[name]}`).join(", ");
  const ratios = peers.map(({ name, title }) => [
    title,
    ...rounds.flatMap((_, index) => [
      ratio(ours[index].perSecond / subjects[name].rounds[index].perSecond),
      ratio(subjects[name].rounds[index].p50 / ours[index].p50),
    ]),
    ratio(subjects[name].rounds.at(-1).walBytes / ours.at(-1).walBytes),
  ]);
  const figures = (index) => [
    ...FIELD.map(({ name, title }) => {
      const { perSecond, p50, p99, writes, walBytes, ...times } = subjects[name].rounds[index];
      const took = `${format(p50, 1)} / ${format(p99, 1)}`;
      return [title, format(perSecond), took, format(writes, 1), format(walBytes), describeProcessor(times)];
    }),
    [
      "floor: one row, one commit",
      format(floor[index].perSecond),
      `${format(floor[index].p50, 1)} / ${format(floor[index].p99, 1)}`,
      format(floor[index].writes, 1),
      format(floor[index].walBytes),
      describeProcessor(floor[index]),
    ],
  ];
  const head = [
    "",
    "cycles/s",
    "decision → done, p50 / p99 ms",
    "writing transactions per run",
    "WAL bytes per run",
    "processor ms per run (process + Postgres)",
  ];
  return `## Beside its peers

A cycle: a run starts, a scripted model asks for a tool, the run pauses in Postgres, a decision comes that knows only the run's id, the tool runs (the same MCP server
in the process for all), the model ends. Each has a pool of 20 connections, a database and a process of its own on one Postgres with durable commits; everyone is
measured six times, there and back, and the cycles are put together.

More than 1 × is in favour of Kimitsu, also for time (peer ÷ Kimitsu) and bytes.

${table(["Kimitsu against", ...titles.flatMap((title) => [`cycles/s, ${title}`, `decision → done p50, ${title}`]), "WAL bytes"], ratios)}

${titles.map((title, index) => `### ${title[0].toUpperCase()}${title.slice(1)}\n\n${table(head, figures(index))}`).join("\n\n")}

### What they hold

Tried here: two people approve the same call at once, on two instances; and the process is killed inside of the tool, after its effect, three times, and the run is
taken up again in another process as the documentation says.

${table(
  ["", "approved twice at once: tool ran", "killed inside the tool", "keeps of the decision"],
  FIELD.map(({ name, title, audit }) => [
    title,
    describeTwice(subjects[name].twice),
    describeCrash(subjects[name].crashes),
    audit,
  ]),
)}

### Set up

${table(
  ["", "version", "how"],
  FIELD.map((entry) => [entry.title, versionOf(entry) || "this checkout", entry.setup]),
)}

Models are plain functions where the peer lets them be (LangGraph, Mastra's workflow, DBOS) and scripted models of the peer's own interface elsewhere. OpenAI Agents and AI SDK have no
persistence of their own for this: two statements that write and one that reads are the least that can be done, and nothing guards them.`;
}

/** Read from /proc, which not every system has. */
const describeProcessor = ({ processorMs, ownMs, postgresMs }) =>
  Number.isFinite(processorMs)
    ? `${format(processorMs, 2)} (${format(ownMs, 2)} + ${format(postgresMs, 2)})`
    : "not read";

function describeTwice({ runs, acts, refused }) {
  return acts === runs
    ? `once, ${refused > 0 ? "the second was refused" : "the second was not needed"}`
    : `${acts} times in ${runs} runs`;
}

const CRASH_ENDS = {
  ended: "goes on where it was",
  asks: "asks for approval again, as if nothing had happened",
  review: "tells a person that the outcome is unknown",
};

/** What had been written when the process died may differ from one time to the next. */
function describeCrash(crashes) {
  const seen = Object.keys(CRASH_ENDS)
    .map((end) => ({ end, count: crashes.filter((crash) => crash.end === end).length }))
    .filter(({ count }) => count > 0);
  const ends = seen
    .map(({ end, count }) => (seen.length === 1 ? CRASH_ENDS[end] : `${count} of ${crashes.length} ${CRASH_ENDS[end]}`))
    .join(", ");
  const acts = [...new Set(crashes.map((crash) => crash.acts))].toSorted((a, b) => a - b).join(" or ");
  return `${ends}; tool ran ${acts === "1" ? "once" : `${acts} times`}`;
}

export function describeGrowth({ turns, arguments: sizes, agents, processes, settings }) {
  const [few, small, lone] = [turns[0], sizes[0], agents[0]];
  const one = (runs) => processes.find((fleet) => fleet.processes === 1 && fleet.runsAtOnce === runs);
  return `## As it grows

${table(
  ["turns in a run", "per turn", "against 10 turns", "last tenth against first tenth", "WAL per turn"],
  turns.map(({ turns: count, msPerTurn, firstMsPerTurn, lastMsPerTurn, walPerTurn }) => [
    format(count),
    `${format(msPerTurn, 2)} ms`,
    ratio(msPerTurn / few.msPerTurn),
    ratio(lastMsPerTurn / firstMsPerTurn),
    `${format(walPerTurn)} bytes`,
  ]),
)}

Each turn calls a tool that needs no approval. A run of 1,000 turns has ten steps of 100: an agent has at most 200 turns. Of 10 turns the halves are compared.

${table(
  ["arguments", "whole cycle, p50", "WAL", "time against 1 KB", "size against 1 KB"],
  sizes.map(({ bytes: size, ms, walBytes }) => [
    bytes(size),
    `${format(ms, 1)} ms`,
    bytes(walBytes),
    ratio(ms / small.ms),
    ratio(size / small.bytes),
  ]),
)}

${table(
  ["agents in the project", "whole cycle, p50", "opened in", "cycle against 10"],
  agents.map(({ agents: count, ms, openMs }) => [
    format(count),
    `${format(ms, 1)} ms`,
    `${format(openMs)} ms`,
    ratio(ms / lone.ms),
  ]),
)}

${table(
  ["runs at a time in each", "worker processes", "calls/s", "against one", "processors busy"],
  processes.map(({ processes: count, runsAtOnce, callsPerSecond, busy }) => [
    format(runsAtOnce),
    format(count),
    format(callsPerSecond, 1),
    ratio(callsPerSecond / one(runsAtOnce).callsPerSecond),
    `${format(busy * 100)} %`,
  ]),
)}

Real worker processes and a tool that takes ${settings.toolMs} ms over HTTP, on one machine together with Postgres and the tool server; where its processors have nothing left to give, more processes do not help.`;
}

export function describePaused(sizes) {
  const [none, few] = sizes;
  return `## Beside paused runs

A decision on one run, to its end, in a worker process of its own, while others wait for people in the same database. In turns; ${format(none.cycles)} decisions each.

${table(
  [
    "paused runs",
    "decision → done, p50 / p99",
    `p50 against ${format(few.paused)}`,
    "memory of the worker",
    "against none",
  ],
  sizes.map(({ paused, p50, p99, memoryMb }) => [
    format(paused),
    `${format(p50, 1)} / ${format(p99, 1)} ms`,
    ratio(p50 / few.p50),
    `${format(memoryMb)} MB`,
    ratio(memoryMb / none.memoryMb),
  ]),
)}`;
}

export function describeScale({ workers, metrics, secondsIdle }) {
  const [few] = workers;
  const [small] = metrics;
  const perWorker = ({ count, postgresMs }) => postgresMs / count;
  return `## Many processes, many runs

Workers with a run each that waits for its tool: what Postgres works for them while nothing happens, over ${format(secondsIdle)} s. 1 × means that each costs the same, however many there are.

${table(
  ["idle workers", "Postgres time per second", `per worker, against ${format(few.count)}`],
  workers.map((size) => [
    format(size.count),
    `${format(size.postgresMs, 1)} ms`,
    ratio(perWorker(size) / perWorker(few)),
  ]),
)}

\`GET /metrics\` reads its figures in one statement, here against \`SELECT 1\` over the same connection.

${table(
  ["paused runs", "the statement, p50", "against SELECT 1", `against ${format(small.paused)}`],
  metrics.map(({ paused, ms, floorMs }) => [
    format(paused),
    `${format(ms, 2)} ms`,
    ratio(ms / floorMs),
    ratio(ms / floorMs / (small.ms / small.floorMs)),
  ]),
)}`;
}

export function describeTokens({ servers, everything, onDemand, oneLoaded, clientTools, clientMeta }) {
  const row = (title, { tools, bytes: size, tokens }, whole) => [
    title,
    format(tools),
    format(size),
    format(tokens),
    `${format((100 * tokens) / whole.tokens, 1)} %`,
  ];
  const head = ["", "tools", "bytes", "tokens", "share"];
  return `## Tokens of tools on the first turn

The public tool servers ${servers.join(", ")}; what the provider is sent under \`tools\`, counted as o200k.

${table(head, [row("everything loaded", everything, everything), row("toolsets, none loaded", onDemand, everything), row("toolsets, one loaded from the start", oneLoaded, everything)])}

The same servers behind a profile; what an MCP client gets as \`tools\` of \`tools/list\` (the goal for \`meta\` is at most 5 %).

${table(head, [row("mode tools", clientTools, clientTools), row("mode meta", clientMeta, clientTools)])}`;
}

export function describeTraces({ spansPerCycle, nanosecondsOff, offMs, onMs }) {
  const offMicroseconds = (spansPerCycle * nanosecondsOff) / 1000;
  return `## Traces

Switched off, as they are without OTEL_EXPORTER_OTLP_ENDPOINT, a cycle's ${format(spansPerCycle, 1)} places for a span take ${format(offMicroseconds, 2)} µs together (${format(nanosecondsOff)} ns each), which is ${format((100 * offMicroseconds) / (offMs * 1000), 3)} % of
its ${format(offMs, 1)} ms. Sent to a collector on the same machine a cycle takes ${ratio(onMs / offMs)} as long (one at a time, by the worker, on and off in turns).`;
}

/** `waits` in the order of their first occurrence; `code` in milliseconds of a cycle. */
export function describeProfile({ cycleMs, floorMs, waits, code }) {
  const often = waits.filter(({ perCycle }) => perCycle > 0.5);
  const waited = often.reduce((sum, { ms, perCycle }) => sum + ms * perCycle, 0);
  const share = (ms) => `${format((100 * ms) / cycleMs)} %`;
  const inside = code.toSorted((a, b) => b.ms - a.ms);
  return `## What the time goes to

One cycle takes ${format(cycleMs, 1)} ms, one at a time. In ${format(waited, 1)} ms of them (${share(waited)}) it waits for Postgres; five commits of a single row would take ${format(5 * floorMs, 1)} ms of that here. The rest is
this process, by the code it is in (sampled, so the sum is not exact).

${table(
  ["round trip to Postgres", "ms, median", "share"],
  often.map(({ name, ms, perCycle }) => [
    perCycle > 1.5 ? `${name}, ${format(perCycle)} times` : name,
    format(ms * perCycle, 2),
    share(ms * perCycle),
  ]),
)}

${table(
  ["in this process", "ms", "share"],
  inside.map(({ name, ms }) => [name, format(ms, 2), share(ms)]),
)}`;
}
