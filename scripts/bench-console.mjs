#!/usr/bin/env node
/**
 * `npm run bench:console`: each list of the console and each filter with 1,000 and with 100,000 runs, and the page of a
 * run with 50 and with 10,000 events; prints ratios, and plans that read a whole table.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findBrowser } from "./test/browser.mjs";
import { build } from "./web/build.mjs";
import { ensureDataFolder, ensureSecrets } from "./postgres/data-folder.mjs";
import { install } from "./install.mjs";
import { deployMigrations } from "./migrate.mjs";
import { databaseUrl, removeDatabase, startPostgres } from "./postgres/pg.mjs";
import { freePort } from "./process/ports.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";
import { applicationEnv, startWeb } from "./process/services.mjs";

const DATABASES = ["console_small", "console_large", "console_run"];
const RATIO_MAX = 2;
const ms = (value) => value.toFixed(1).padStart(8);

async function measure(script, env) {
  const child = spawn(applicationNode(), ["scripts/run-ts.mjs", script], {
    cwd: ROOT,
    env: { ...process.env, ...env, LOG_LEVEL: "silent", NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new PlainError("The measurement failed; the lines above say why.");
  return JSON.parse(output.trim().split("\n").at(-1));
}

/** Through the built application, as a page request goes. */
async function measureRun(dataFolder, url, secrets) {
  await build({ logFolder: dataFolder });
  const port = await freePort();
  const webUrl = `http://localhost:${port}`;
  const env = applicationEnv({
    dataFolder,
    databaseUrl: url,
    authSecret: secrets.authSecret,
    extra: { PORT: String(port), HOST: "localhost", KIMITSU_DEMO: "0", LOG_LEVEL: "silent" },
  });
  const web = await startWeb({ env, url: webUrl, write: () => undefined });
  try {
    const { source: _source, ...browser } = await findBrowser();
    return await measure("bench/console-run.ts", {
      DATABASE_URL: url,
      AUTH_SECRET: secrets.authSecret,
      WEB_URL: webUrl,
      BROWSER_JSON: JSON.stringify(browser),
    });
  } finally {
    await web.stop();
  }
}

function report(results) {
  console.log(
    `\n${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}; first quartiles in ms\n`,
  );
  console.log(`${"".padEnd(52)}  small     large   ratio`);
  for (const { page, what, smallMs, largeMs, wholeReads } of results) {
    const ratio = largeMs / smallMs;
    console.log(
      `${`${page}: ${what}`.padEnd(52)}${ms(smallMs)}${ms(largeMs)}${ratio.toFixed(2).padStart(8)}${ratio > RATIO_MAX ? "  more than twice" : ""}`,
    );
    for (const read of wholeReads) console.log(`    reads all of ${read}`);
  }
  const slow = results.filter(({ smallMs, largeMs }) => largeMs / smallMs > RATIO_MAX).length;
  const whole = results.filter(({ wholeReads }) => wholeReads.length > 0).length;
  const largest = Math.max(...results.map(({ smallMs, largeMs }) => largeMs / smallMs));
  console.log(
    `\n${results.length} questions; largest ratio ${largest.toFixed(2)}; ${slow} above ${RATIO_MAX}; ${whole} read a large table from end to end`,
  );
  return slow + whole;
}

async function main() {
  await install();
  await continueOnApplicationNode();
  const folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-bench-")));
  const secrets = ensureSecrets(folder);
  const server = await startPostgres({ dataDir: folder, secrets, durable: false });
  let failures;
  try {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: databaseUrl(secrets, server.port, "postgres") });
    await client.connect();
    for (const name of DATABASES) await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const [small, large, run] = DATABASES.map((name) => databaseUrl(secrets, server.port, name));
    for (const url of [small, large, run]) await deployMigrations(url);
    const lists = await measure("bench/console.ts", {
      SMALL_URL: small,
      LARGE_URL: large,
      DATABASE_URL: large,
      AUTH_SECRET: secrets.authSecret,
    });
    failures = report([...lists, ...(await measureRun(folder, run, secrets))]);
  } finally {
    await server.stop();
    removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failures > 0 ? 1 : 0);
}

main().catch((error) => process.exit(reportFailure(error)));
