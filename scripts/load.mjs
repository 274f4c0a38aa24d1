#!/usr/bin/env node
/**
 * `npm run load -- --minutes 10 --sse 50 --decisions 20 --runs 50`: the built application as `npm start` has it, on a
 * durable Postgres of its own, under a steady load over HTTP. `--paused N` makes that many paused runs first;
 * `--workers N` advances runs in so many processes apart. The report says what was reached; any error makes it fail.
 * Ten minutes at the usual rates are written to docs/load.md.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { describeLoad } from "../bench/load-report.mjs";
import { loadProject } from "../bench/load-project.mjs";
import { build } from "./web/build.mjs";
import { ensureDataFolder, ensureSecrets } from "./postgres/data-folder.mjs";
import { install } from "./install.mjs";
import { deployMigrations } from "./migrate.mjs";
import { startNode } from "./process/node-child.mjs";
import { removeDatabase, startPostgres } from "./postgres/pg.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { freePort } from "./process/ports.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";
import { applicationEnv, startWeb } from "./process/services.mjs";

const DEFAULTS = { minutes: 10, sse: 50, decisions: 20, runs: 50, paused: 0, workers: 0 };
const USAGE = `Usage: npm run load -- ${Object.entries(DEFAULTS)
  .map(([name, value]) => `[--${name} ${value}]`)
  .join(" ")}`;
const LOG_LINES_SHOWN = 5;
const ERROR_LEVEL = 50;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" }])),
    });
    const options = {
      ...DEFAULTS,
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
    };
    for (const [name, value] of Object.entries(options)) {
      const least = ["minutes", "runs"].includes(name) ? Number.MIN_VALUE : 0;
      if (!(value >= least) || (name !== "minutes" && !Number.isInteger(value)))
        throw new Error(
          `--${name} must be a ${name === "minutes" ? "number above 0" : "whole number"}, not "${values[name]}"`,
        );
    }
    if (options.decisions > options.runs)
      throw new Error("--decisions must not be more than --runs: each run asks once at most");
    return options;
  } catch (cause) {
    throw new PlainError(`${cause.message}\n${USAGE}`);
  }
}

/** Error lines, counted by their message; other output is not kept. */
function watchLog() {
  const errors = new Map();
  const first = [];
  const write = (line) => {
    const text = line.slice(line.indexOf("| ") + 2);
    // What is not a line of the log is output of Node or Next.js while they start.
    const entry = text.startsWith("{") ? JSON.parse(text) : { level: 0 };
    if (entry.level < ERROR_LEVEL) return;
    const message = `log: ${entry.msg ?? "without a message"}`;
    errors.set(message, (errors.get(message) ?? 0) + 1);
    if (first.length < LOG_LINES_SHOWN) first.push(text.slice(0, 2_000));
  };
  return { errors, first, write };
}

/** The clients, in a process of their own: `heard(name)` resolves with the next message of that name. */
function startClients(env) {
  const child = spawn(applicationNode(), ["--no-deprecation", "scripts/run-ts.mjs", "bench/load.ts"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise((_resolve, reject) =>
    child.once("exit", (code, signal) =>
      reject(new PlainError(`The clients ended early (${signal ?? `exit code ${code}`}); the lines above say why.`)),
    ),
  );
  gone.catch(() => undefined);
  const heard = (name) =>
    Promise.race([
      gone,
      new Promise((resolve) => child.on("message", (message) => name in message && resolve(message[name]))),
    ]);
  return { heard, send: (message) => child.send(message), stop: () => child.kill() };
}

function writeProject(folder, files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

async function drive(options, { folder, secrets, server, running }) {
  const base = { dataFolder: folder, databaseUrl: server.url, authSecret: secrets.authSecret };
  const clients = startClients(
    applicationEnv({
      ...base,
      extra: { LOAD_OPTIONS: JSON.stringify(options), NODE_ENV: "production", LOG_LEVEL: "silent" },
    }),
  );
  running.push(clients);
  const project = path.join(folder, "kimitsu");
  writeProject(project, loadProject(await clients.heard("toolUrl")));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = applicationEnv({
    ...base,
    extra: {
      PORT: String(port),
      HOST: "127.0.0.1",
      KIMITSU_PROJECT: project,
      KIMITSU_DEMO: "0",
      KIMITSU_ALLOW_HOSTS: "127.0.0.1",
      LOG_LEVEL: "warn",
      NODE_ENV: "production",
    },
  });
  const { errors, first, write } = watchLog();
  const workers = Array.from({ length: options.workers }, () =>
    startNode({ name: "work", args: ["scripts/run-ts.mjs", "lib/runs/worker/main.ts"], env, write }),
  );
  running.push(...workers);
  const web = await startWeb({ env: options.workers > 0 ? { ...env, KIMITSU_WORKERS: "0" } : env, url, write });
  running.push(web);
  clients.send({
    url,
    processes: [
      { name: options.workers > 0 ? "web" : "web, with its worker", pid: web.pid },
      ...workers.map(({ pid }, index) => ({ name: `worker ${index + 1}`, pid })),
      { name: "Postgres, all its processes, own memory", pid: server.pid, withChildren: true },
    ],
  });
  const report = await clients.heard("report");
  return { ...report, errors: { ...report.errors, ...Object.fromEntries(errors) }, logLines: first };
}

async function main() {
  const options = readOptions();
  await install();
  await continueOnApplicationNode();
  const folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-load-")));
  await build({ logFolder: folder });
  const secrets = ensureSecrets(folder);
  const [loadBefore] = os.loadavg();
  const server = await startPostgres({ dataDir: folder, secrets });
  const running = [];
  let report;
  try {
    await deployMigrations(server.url);
    report = await drive(options, { folder, secrets, server, running });
  } finally {
    for (const each of running.reverse()) await each.stop();
    await server.stop();
    removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  const text = describeLoad({ options, report, loadBefore });
  console.log(`\n${text}`);
  const isUsual = Object.entries(DEFAULTS).every(([name, value]) =>
    name === "minutes" ? options.minutes >= value : options[name] === value || name === "workers",
  );
  if (isUsual)
    writeFileSync(
      path.join(ROOT, "docs/load.md"),
      `# Under load\n\nWritten by \`npm run load\`; do not edit.\n\n${text}\n`,
    );
  process.exit(Object.keys(report.errors).length > 0 ? 1 : 0);
}

main().catch((error) => process.exit(reportFailure(error)));
