#!/usr/bin/env node
/** `node scripts/crossed-files.mjs`: which files of lib one approved call crosses, from the start of its run to its end. */
import { createLifecycle } from "./process/lifecycle.mjs";
import { deployMigrations } from "./migrate.mjs";
import { runTs } from "./run-ts.mjs";
import { PlainError } from "./plain-error.mjs";
import { createBench } from "./test/test-bench.mjs";

const lifecycle = createLifecycle();

async function main() {
  const bench = createBench(lifecycle);
  const url = await bench.databaseUrl("kimitsu");
  await deployMigrations(url);
  const env = { ...bench.env, DATABASE_URL: url, LOG_LEVEL: "silent" };
  const { code, stdout, stderr } = await runTs("bench/crossed-files.ts", [], env);
  if (code !== 0) throw new PlainError(`The call did not come to its end:\n${stderr.trim()}`);
  const { asked, decided, all } = JSON.parse(stdout.trim().split("\n").at(-1));
  for (const file of all)
    console.log(
      `${asked.includes(file) ? "asked" : "     "} ${decided.includes(file) ? "decided" : "       "} ${file}`,
    );
  console.log(
    `${all.length} files: ${asked.length} until the question, ${decided.length} from the decision to the end`,
  );
  await lifecycle.end(0);
}

main().catch((error) => lifecycle.fail(error));
