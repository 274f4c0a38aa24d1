/** The section of docs/benchmarks.md about requests over HTTP, ratios first. */
import { KINDS, LAYERS } from "./http-passes.mjs";
import { format, ratio, table } from "./report.mjs";

const TITLES = { invoke: "`POST /invoke/{workflow}`", decide: "`POST /approvals/{id}/decide`" };
const LAYER_TITLES = {
  whole: "the whole: web server, Next's proxy and route handler",
  handlers: "the same route handlers, called without Next",
  engine: "the engine alone: start a run, decide an approval",
};
/** What each layer adds to the one below it. */
const SHARES = [
  { title: "web server, Next", of: "whole", below: "handlers" },
  { title: "token, checks, parsing, answer", of: "handlers", below: "engine" },
  { title: "engine", of: "engine", below: null },
];
const cell = ({ usedMs, perSecond }) => `${format(usedMs, 2)} ms, ${format(perSecond)}/s`;
const sides = ({ before }) => (before ? ["before", "now"] : ["now"]);

function describeRatios({ now, before }) {
  const rows = LAYERS.map((layer) => [
    LAYER_TITLES[layer],
    ...KINDS.flatMap((kind) => [
      ratio(now[layer][kind].perSecond / before[layer][kind].perSecond),
      ratio(before[layer][kind].usedMs / now[layer][kind].usedMs),
    ]),
  ]);
  const head = KINDS.flatMap((kind) => [`${TITLES[kind]}, requests/s`, "processor time"]);
  return `Against the checkout before, measured in the same run; more than 1 × is in favour of this one.\n\n${table(["", ...head], rows)}\n\n`;
}

function describeShares(figures) {
  const columns = sides(figures).flatMap((side) => KINDS.map((kind) => ({ side, kind })));
  const rows = SHARES.map(({ title, of, below }) => [
    title,
    ...columns.map(({ side, kind }) => {
      const used = (layer) => figures[side][layer][kind].usedMs;
      const own = used(of) - (below ? used(below) : 0);
      return `${format(own, 2)} ms, ${format((100 * own) / used("whole"))} %`;
    }),
  ]);
  return table(["share of the processor time", ...describeColumns(figures, columns)], rows);
}

const describeColumns = ({ before }, columns) =>
  columns.map(({ side, kind }) => (before ? `${TITLES[kind]}, ${side}` : TITLES[kind]));

export function describeHttp(figures) {
  const columns = sides(figures).flatMap((side) => KINDS.map((kind) => ({ side, kind })));
  const rows = LAYERS.map((layer) => [
    LAYER_TITLES[layer],
    ...columns.map(({ side, kind }) => cell(figures[side][layer][kind])),
  ]);
  return `## Over HTTP

Requests with a token, 16 at once, each with a person of its own: processor time of the process that answers, per request, and requests per second. Nobody advances the
runs meanwhile. The clients, the web process and Postgres with durable commits share the machine; six passes in turns.

${figures.before ? describeRatios(figures) : ""}${table(["", ...describeColumns(figures, columns)], rows)}

${describeShares(figures)}

\`npm run bench -- http\`; with \`BENCH_BEFORE=<folder>\` another checkout that has this bench is measured in turns with this one.`;
}
