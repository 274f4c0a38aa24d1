#!/usr/bin/env node
/**
 * `npm run chaos -- --minutes N --processes N --webs N --seed N`: faults at random for as long as you like; the report
 * shows the result.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, ROOT } from "./runtime.mjs";
import { install } from "./install.mjs";

const USAGE =
  "Usage: npm run chaos -- [--minutes 1] [--processes 3] [--webs 2] [--runs <3 per second>] [--seed <any number>]";

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "1" },
        processes: { type: "string", default: "3" },
        webs: { type: "string", default: "2" },
        runs: { type: "string" },
        seed: { type: "string" },
      },
    });
    for (const [name, value] of Object.entries(values))
      if (!(Number(value) > 0)) throw new Error(`--${name} must be a number above 0, not "${value}"`);
    return values;
  } catch (cause) {
    throw new PlainError(`${cause.message}\n${USAGE}`);
  }
}

function environment({ minutes, processes, webs, runs, seed }) {
  const seconds = Math.ceil(Number(minutes) * 60);
  return {
    ...process.env,
    CHAOS_SECONDS: String(seconds),
    CHAOS_PROCESSES: processes,
    CHAOS_WEBS: webs,
    ...(runs ? { CHAOS_RUNS: runs } : {}),
    ...(seed ? { CHAOS_SEED: seed } : {}),
  };
}

const ms = (value) => (value === null ? "–" : `${(value / 1000).toFixed(1)} s`);

function print(report) {
  const { faults, takeovers } = report;
  const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
  console.log(`\n| | |\n|---|---|
| runs, all ended as they should | ${report.runs}, ${report.complete} |
| faults | ${total}: ${Object.entries(faults)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")} |
| takeovers | ${takeovers.count}, p50 ${ms(takeovers.p50Ms)}, longest ${ms(takeovers.maxMs)} |
| lost | ${report.lost.length} ${report.lost.slice(0, 5).join("; ")} |
| doubled | ${report.doubled.length} ${report.doubled.slice(0, 5).join("; ")} |
| processes that ended by themselves | ${report.died.length} ${report.died.slice(0, 5).join("; ")} |
| outcomes that a person had to look up | ${report.unknownOutcomes} |
| broken chains | ${report.brokenChains} |`);
}

async function main() {
  const options = readOptions();
  await install();
  const child = spawn(
    applicationNode(),
    [path.join(ROOT, "scripts/test.mjs"), "unit", "lib/runs/worker/chaos.db.test.ts"],
    { cwd: ROOT, env: environment(options), stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
    for (const [, seed] of String(chunk).matchAll(/chaos seed (\d+)/g))
      console.log(`Seed ${seed}; the same one gives the same faults: --seed ${seed}`);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const report = /chaos report (\{.*\})/.exec(output)?.[1];
  if (report) print(JSON.parse(report));
  else console.log(output.trim().split("\n").slice(-30).join("\n"));
  process.exit(code ?? 1);
}

main().catch((error) => process.exit(reportFailure(error)));
