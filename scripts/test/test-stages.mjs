/**
 * The stages of `npm test`, in their order. Each returns how many checks passed and failed; a stage without tests
 * counts as one.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "../web/build.mjs";
import { deployMigrations } from "../migrate.mjs";
import { runBrowserTests } from "./test-e2e.mjs";

export const STAGES = [
  { name: "types", title: "Types (TypeScript)", run: checkTypes },
  { name: "lint", title: "Lint, import boundaries and format (oxlint, oxfmt)", run: checkLint },
  {
    name: "unused",
    title: "Unused code and dependencies (knip)",
    run: (bench) => check(bench, "node_modules/knip/bin/knip.js", ["--no-progress"]),
  },
  { name: "drift", title: "Schema and migrations agree, state tables and diagrams too", run: checkDrift },
  { name: "unit", title: "Tests without a browser (Vitest)", run: runUnitTests },
  { name: "build", title: "Production build (Next.js)", run: checkBuild },
  { name: "e2e", title: "Tests in a browser (Playwright)", run: runBrowserTests },
];

/** A program that only passes or fails; its output matters when it fails. */
async function check(bench, script, args) {
  const { code, output } = await bench.run(script, args);
  if (code !== 0) {
    console.error(output.trim());
    bench.openLog(`${path.basename(script, ".mjs")}.log`).end(output);
  }
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function checkTypes(bench) {
  // Pages and routes are typed against files that Next generates; without this a fresh checkout has none, and an old
  // one wrong ones.
  const generated = await check(bench, "node_modules/next/dist/bin/next", ["typegen"]);
  if (generated.failed > 0) return generated;
  return check(bench, "node_modules/typescript/bin/tsc", [
    "--noEmit",
    "--tsBuildInfoFile",
    "node_modules/.cache/kimitsu/types.tsbuildinfo",
  ]);
}

async function checkLint(bench) {
  const lint = await check(bench, "node_modules/oxlint/bin/oxlint", ["--deny-warnings"]);
  const format = await check(bench, "node_modules/oxfmt/bin/oxfmt", ["--check"]);
  return { passed: lint.passed + format.passed, failed: lint.failed + format.failed };
}

async function checkDrift(bench) {
  const diagrams = await check(bench, "scripts/state-diagrams.mjs", []);
  const env = { ...bench.env, DATABASE_URL: await bench.databaseUrl("kimitsu") };
  const run = (script, args) => bench.run(script, args, { env });
  const schema = await check({ ...bench, run }, "scripts/migrate.mjs", ["drift"]);
  return { passed: diagrams.passed + schema.passed, failed: diagrams.failed + schema.failed };
}

async function runUnitTests(bench, files) {
  const url = await bench.databaseUrl("kimitsu");
  await deployMigrations(url);
  const report = path.join(bench.folder, "vitest.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files];
  const { code } = await bench.run("node_modules/vitest/vitest.mjs", args, {
    env: { ...bench.env, DATABASE_URL: url, LOG_LEVEL: "silent" },
    live: true,
  });
  const { numPassedTests = 0, numFailedTests = 0 } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  // A file that cannot be loaded, or an error outside any test, fails the run without a failed test.
  return { passed: numPassedTests, failed: code === 0 ? numFailedTests : Math.max(numFailedTests, 1) };
}

async function checkBuild(bench) {
  await build({ logFolder: bench.folder, signal: bench.signal });
  return { passed: 1, failed: 0 };
}
