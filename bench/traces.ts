/** What traces cost: switched off, as they are by default, and sent to a collector. Prints one line of JSON. */
import { processVariables } from "@/lib/env";
import { openTracing } from "@/lib/telemetry/open-tracing";
import { switchTracing, withSpan } from "@/lib/telemetry/span";
import { startTraceCollector } from "@/lib/testing/trace-collector";
import { openWithWorker } from "./kimitsu-subjects";
import { measure } from "./measure.mjs";

const SPANS = 200_000;
const { DATABASE_URL: url = "", BENCH_SCALE: scale = "1" } = processVariables();
const cycles = Math.max(5, Math.ceil(50 * Number(scale)));
const BLOCKS = 6;

const subject = await openWithWorker({ url, onAct: () => undefined });
const cycle = async () => {
  const startedAt = performance.now();
  await subject.decide(await subject.start());
  return performance.now() - startedAt;
};
await measure({ cycle, count: 2 * cycles, concurrency: 4 });

const collector = await startTraceCollector();
const opened = openTracing({ endpoint: collector.endpoint, serviceName: "bench" });
const ms: Record<"on" | "off", number[]> = { on: [], off: [] };
// In turns, so that other load on the machine affects both.
for (let block = 0; block < BLOCKS; block++) {
  for (const state of ["off", "on"] as const) {
    switchTracing(state === "on");
    ms[state].push(...(await measure({ cycle, count: cycles, concurrency: 1 })).decisionMs);
  }
}
switchTracing(false);
await opened.close();
const spansPerCycle = collector.spans().length / (BLOCKS * cycles);

const work = async () => undefined;
const timeOf = async (once: (index: number) => Promise<unknown>) => {
  const startedAt = performance.now();
  for (let index = 0; index < SPANS; index++) await once(index);
  return ((performance.now() - startedAt) * 1e6) / SPANS;
};
const within = (index: number) =>
  withSpan({ name: "span", attributes: { "kimitsu.step.key": "work", "kimitsu.turn": index } }, work);
await timeOf(within);
await timeOf(work);
const nanosecondsOff = Math.max(0, (await timeOf(within)) - (await timeOf(work)));
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
console.log(JSON.stringify({ spansPerCycle, nanosecondsOff, offMs: median(ms.off), onMs: median(ms.on) }));
process.exit(0);
