#!/usr/bin/env node
/**
 * `npm test`: every check, in order, on a bare checkout. `npm test -- unit` runs one stage with what it needs,
 * `npm test -- unit lib/policy/decide.test.ts` only these files of it.
 */
import { install } from "./install.mjs";
import { createLifecycle } from "./process/lifecycle.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { duration } from "./progress.mjs";
import { requireSupportedNode } from "./runtime.mjs";
import { createBench } from "./test/test-bench.mjs";
import { STAGES } from "./test/test-stages.mjs";

const SIGNAL_EXIT_CODE = 130;

const lifecycle = createLifecycle({ signalExitCode: SIGNAL_EXIT_CODE });

/** Stage names come first; what follows them are files for the last one. */
function parseArguments(args) {
  const firstFilter = args.findIndex((arg) => !STAGES.some(({ name }) => name === arg));
  const names = firstFilter === -1 ? args : args.slice(0, firstFilter);
  const filters = firstFilter === -1 ? [] : args.slice(firstFilter);
  if (names.length === 0 && filters.length > 0)
    throw new PlainError(
      `There is no stage "${filters[0]}". Stages: ${STAGES.map(({ name }) => name).join(", ")}. Files follow a stage: npm test -- unit ${filters[0]}`,
    );
  const filtered = names.at(-1);
  if (filters.length > 0 && !["unit", "e2e"].includes(filtered))
    throw new PlainError(`The stage ${filtered} takes no files; unit and e2e do.`);
  const wanted = new Set(names);
  // The browser tests run against the built application.
  if (wanted.has("e2e")) wanted.add("build");
  return { stages: STAGES.filter(({ name }) => wanted.size === 0 || wanted.has(name)), filtered, filters };
}

async function runStages({ stages, filtered, filters }, bench) {
  const total = { passed: 0, failed: 0 };
  for (const [index, stage] of stages.entries()) {
    const began = performance.now();
    console.log(`\n[${index + 1}/${stages.length}] ${stage.title}`);
    const files = stage.name === filtered ? filters : [];
    const counts = await stage.run(bench, files).catch((error) => {
      if (!lifecycle.signal.aborted) reportFailure(error);
      return { passed: 0, failed: 1 };
    });
    if (lifecycle.signal.aborted) return total;
    total.passed += counts.passed;
    total.failed += counts.failed;
    console.log(
      `[${index + 1}/${stages.length}] ${stage.name} ${counts.failed > 0 ? "FAILED" : "passed"} (${duration(performance.now() - began)})`,
    );
    if (counts.failed > 0) {
      console.error(
        `\nRun only this stage again with: npm test -- ${[stage.name, ...files].join(" ")}\nLogs: ${bench.folder}`,
      );
      return total;
    }
  }
  return total;
}

async function main() {
  requireSupportedNode();
  const plan = parseArguments(process.argv.slice(2));
  await install({ signal: lifecycle.signal });
  const bench = createBench(lifecycle);
  const total = await runStages(plan, bench);
  if (lifecycle.signal.aborted) return;
  if (total.failed > 0) bench.keepLogs();
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  await lifecycle.end(total.failed > 0 ? 1 : 0);
}

main().catch((error) => lifecycle.fail(error));
