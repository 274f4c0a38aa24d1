#!/usr/bin/env node
/**
 * `npm run bench`: Kimitsu beside its peers and the floor, what its time goes to, as it grows, beside paused runs, with
 * very many processes and runs, what its tools cost in tokens, what traces cost, what a request over HTTP costs, and what a
 * call of an MCP client costs, on one durable Postgres. Writes docs/benchmarks.md. `npm run bench -- peers | profile | growth | paused | scale | tokens |
 * traces | http | proxy` does one part and writes its section alone. BENCH_SCALE=0.1 does less, and writes nothing; nor is
 * anything but tokens written when the machine was busy before.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { FIELD } from "../bench/field.mjs";
import { measureHttp } from "../bench/http-passes.mjs";
import { describeHttp } from "../bench/http-report.mjs";
import { measureProxy } from "../bench/proxy-passes.mjs";
import { describeProxy } from "../bench/proxy-report.mjs";
import {
  describeGrowth,
  describePaused,
  describePeers,
  describeProfile,
  describeScale,
  describeTokens,
  describeTraces,
} from "../bench/report.mjs";
import { ensureDataFolder, ensureSecrets } from "./postgres/data-folder.mjs";
import { install } from "./install.mjs";
import { deployMigrations } from "./migrate.mjs";
import { databaseUrl, removeDatabase, startPostgres } from "./postgres/pg.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";

const scale = Number(process.env.BENCH_SCALE ?? 1);
const BENCH = path.join(ROOT, "bench");
const DOCUMENT = path.join(ROOT, "docs/benchmarks.md");
/**
 * Each is measured this often, in turns, so that other load on the machine affects all; its speed alone varies by half
 * within minutes.
 */
const PASSES = 6;
const ROUNDS = [
  { concurrency: 1, count: Math.ceil(40 * scale) },
  { concurrency: 32, count: Math.ceil(200 * scale) },
];
/** With fewer, the figures for one at a time would be those of code that is not compiled yet. */
const WARM_UP = Math.ceil(1500 * scale);
const DOUBLE_RUNS = 10;
/** More than one, because for some it depends on chance what had been written when the process died. */
const CRASHES = 3;
/** A machine with more other load than this gives no usable figures. */
const LOAD_MAX = 2.5;

function installPeers() {
  const wanted = readFileSync(path.join(BENCH, "package-lock.json"));
  const stamp = path.join(BENCH, "node_modules/.kimitsu-lock.json");
  if (existsSync(stamp) && readFileSync(stamp).equals(wanted)) return;
  console.log("Installing the peers (bench/package.json) …");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: BENCH,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new PlainError("The peers could not be installed; run npm ci in bench/ to see why.");
  writeFileSync(stamp, wanted);
}

function runNode(what, args, { env = {}, input, mayDie = false } = {}) {
  const { status, signal, stdout, stderr } = spawnSync(applicationNode(), ["--no-deprecation", ...args], {
    cwd: ROOT,
    input,
    env: { ...process.env, NODE_ENV: "production", ...env, LOG_LEVEL: "silent" },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (mayDie ? signal !== "SIGKILL" : status !== 0)
    throw new PlainError(`${what} failed:\n${stderr.trim().split("\n").slice(-20).join("\n")}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** A database of its own for each; Kimitsu's have its tables. */
async function openDatabases({ secrets, server }) {
  const { default: pg } = await import("pg");
  const url = (name) => databaseUrl(secrets, server.port, name);
  const query = async (text) => {
    const client = new pg.Client({ connectionString: url("postgres") });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  return {
    version: (await query("SHOW server_version"))[0].server_version,
    async create(name, { migrated = false } = {}) {
      const database = `bench_${name.replaceAll("-", "_")}`;
      await query(`CREATE DATABASE ${database}`);
      if (migrated) await deployMigrations(url(database));
      return { DATABASE_URL: url(database), AUTH_SECRET: secrets.authSecret };
    },
  };
}

const runSubject = ({ name, driver }, env, { options = {}, ...task }) =>
  driver
    ? runNode(name, ["scripts/run-ts.mjs", "bench/kimitsu.ts"], {
        ...options,
        env: { ...env, BENCH_TASK: JSON.stringify(task), BENCH_DRIVER: driver },
      })
    : runNode(name, ["bench/peer.mjs", name, JSON.stringify(task)], { ...options, env });

async function benchPeers(databases) {
  const task = { kind: "measure", warmUp: WARM_UP, rounds: ROUNDS };
  const subjects = {};
  for (const { name, driver } of FIELD)
    subjects[name] = { env: await databases.create(name, { migrated: driver !== undefined }), passes: [] };
  const floor = { env: await databases.create("floor"), passes: [] };
  for (let pass = 1; pass <= PASSES; pass++) {
    console.log(`Pass ${pass} of ${PASSES}`);
    floor.passes.push(runNode("the floor", ["bench/floor.mjs", JSON.stringify(task)], { env: floor.env }));
    // Forwards and backwards: what is late in one pass is early in the next.
    for (const entry of pass % 2 === 1 ? FIELD : FIELD.toReversed()) {
      console.log(`  ${entry.title} …`);
      const subject = subjects[entry.name];
      subject.passes.push(runSubject(entry, subject.env, task));
    }
  }
  for (const entry of FIELD) {
    console.log(`Trying what ${entry.title} holds …`);
    const subject = subjects[entry.name];
    subject.rounds = putTogether(subject.passes);
    subject.twice = runSubject(entry, subject.env, { kind: "approveTwice", runs: DOUBLE_RUNS });
    subject.crashes = Array.from({ length: CRASHES }, () => {
      const { id } = runSubject(entry, subject.env, { kind: "dieInTool", options: { mayDie: true } });
      return runSubject(entry, subject.env, { kind: "recover", id });
    });
  }
  return describePeers({ rounds: ROUNDS, subjects, floor: putTogether(floor.passes), versions: readVersions() });
}

/** The passes' cycles joined as if they had been one. */
function putTogether(passes) {
  return ROUNDS.map((_, index) => {
    const parts = passes.map((rounds) => rounds[index]);
    const samples = parts.flatMap(({ decisionMs }) => decisionMs).toSorted((a, b) => a - b);
    const at = (share) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))];
    const mean = (of) => parts.reduce((sum, part) => sum + of(part), 0) / parts.length;
    return {
      perSecond: samples.length / parts.reduce((sum, { seconds }) => sum + seconds, 0),
      p50: at(0.5),
      p99: at(0.99),
      writes: mean(({ writes }) => writes),
      walBytes: mean(({ walBytes }) => walBytes),
      processorMs: mean(({ processorMs }) => processorMs),
      ownMs: mean(({ ownMs }) => ownMs),
      postgresMs: mean(({ postgresMs }) => postgresMs),
    };
  });
}

async function benchGrowth(databases) {
  console.log("Measuring growth …");
  return describeGrowth(
    runNode("growth", ["scripts/run-ts.mjs", "bench/growth.ts"], {
      env: { ...(await databases.create("growth", { migrated: true })), BENCH_SCALE: String(scale) },
    }),
  );
}

async function benchTokens(databases) {
  console.log("Counting tokens …");
  const turns = runNode("tokens", ["scripts/run-ts.mjs", "bench/tokens.ts"], {
    env: await databases.create("tokens", { migrated: true }),
  });
  return describeTokens(runNode("counting", ["bench/count-tokens.mjs"], { input: JSON.stringify(turns) }));
}

async function benchTraces(databases) {
  console.log("Measuring traces …");
  return describeTraces(
    runNode("traces", ["scripts/run-ts.mjs", "bench/traces.ts"], {
      env: { ...(await databases.create("traces", { migrated: true })), BENCH_SCALE: String(scale) },
    }),
  );
}

async function benchProfile(databases) {
  console.log("Looking where the time goes …");
  return describeProfile(
    runNode("profile", ["scripts/run-ts.mjs", "bench/profile.ts"], {
      env: { ...(await databases.create("profile", { migrated: true })), BENCH_SCALE: String(scale) },
    }),
  );
}

/** The runs that wait in each database; each worker process has a database to itself. */
const PAUSED = [0, 100, 100_000];

async function benchPaused(databases) {
  console.log("Measuring beside paused runs …");
  const sizes = [];
  for (const paused of PAUSED)
    sizes.push({
      paused: Math.ceil(paused * scale),
      ...(await databases.create(`paused_${paused}`, { migrated: true })),
    });
  const env = {
    ...sizes[0],
    PAUSED_SIZES: JSON.stringify(sizes.map(({ paused, DATABASE_URL: url }) => ({ paused, url }))),
    BENCH_SCALE: String(scale),
  };
  return describePaused(runNode("paused", ["scripts/run-ts.mjs", "bench/paused.ts"], { env }));
}

/** The paused runs beside which `/metrics` is read. */
const SCALES = [10_000, 1_000_000];
/** Idle workers hold a connection each. */
const CONNECTIONS_MAX = 300;

async function benchScale(databases) {
  console.log("Measuring many idle workers and a million paused runs …");
  const sizes = [];
  for (const paused of SCALES)
    sizes.push({
      paused: Math.ceil(paused * scale),
      ...(await databases.create(`scale_${paused}`, { migrated: true })),
    });
  const env = {
    ...sizes[0],
    PAUSED_SIZES: JSON.stringify(sizes.map(({ paused, DATABASE_URL: url }) => ({ paused, url }))),
    BENCH_SCALE: String(scale),
  };
  return describeScale(runNode("scale", ["scripts/run-ts.mjs", "bench/scale.ts"], { env }));
}

async function benchHttp(databases, dataFolder) {
  console.log("Measuring requests over HTTP …");
  return describeHttp(await measureHttp({ databases, dataFolder, scale }));
}

async function benchProxy(databases, dataFolder) {
  console.log("Measuring calls of MCP clients …");
  return describeProxy(await measureProxy({ databases, dataFolder, scale }));
}

const PARTS = {
  peers: benchPeers,
  profile: benchProfile,
  growth: benchGrowth,
  paused: benchPaused,
  scale: benchScale,
  tokens: benchTokens,
  traces: benchTraces,
  http: benchHttp,
  proxy: benchProxy,
};

const readVersions = () => JSON.parse(readFileSync(path.join(BENCH, "package.json"), "utf8")).dependencies;

function describeMachine({ version, loadBefore }) {
  const commit =
    spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim() || "unknown";
  const [cpu] = os.cpus();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}: ${os.cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.release()}, Node ${process.version}, Postgres ${version}, load ${loadBefore.toFixed(1)} before.`;
}

/** Each part is between its markers, with the machine that it was measured on. */
function writeSections(sections, machine) {
  const kept = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, "utf8") : "";
  const blocks = Object.keys(PARTS).map((name) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    if (sections[name]) return `${begin}\n${sections[name]}\n\n${machine}\n${end}`;
    return kept.includes(begin) ? kept.slice(kept.indexOf(begin), kept.indexOf(end) + end.length) : "";
  });
  const intro =
    "# Benchmarks\n\nWritten by `npm run bench`; do not edit. On a machine that does much else only the ratios mean something, and those under 1.5 are ties.";
  writeFileSync(DOCUMENT, `${[intro, ...blocks].filter(Boolean).join("\n\n")}\n`);
}

async function main(names) {
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown)
    throw new PlainError(
      `There is no benchmark ${JSON.stringify(unknown)}; there are ${Object.keys(PARTS).join(", ")}.`,
    );
  await install();
  await continueOnApplicationNode();
  if (names.length === 0 || names.some((name) => ["peers", "tokens", "proxy"].includes(name))) installPeers();
  const [loadBefore] = os.loadavg();
  // Tokens are counted, and no load changes a count.
  const isTimed = names.length === 0 || names.some((name) => name !== "tokens");
  const whyNotWritten =
    scale !== 1
      ? "BENCH_SCALE is not 1"
      : isTimed && loadBefore >= LOAD_MAX
        ? `the load was ${loadBefore.toFixed(1)} before, and figures count below ${LOAD_MAX}`
        : null;
  if (whyNotWritten) console.log(`docs/benchmarks.md will stay as it is: ${whyNotWritten}.`);
  const folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-bench-")));
  const secrets = ensureSecrets(folder);
  const server = await startPostgres({
    dataDir: folder,
    secrets,
    settings: { max_connections: String(CONNECTIONS_MAX) },
  });
  // What killed processes leave behind is removed with the rest.
  process.env.TMPDIR = folder;
  try {
    const databases = await openDatabases({ secrets, server });
    const sections = {};
    for (const name of names.length > 0 ? names : Object.keys(PARTS))
      sections[name] = await PARTS[name](databases, folder);
    const machine = describeMachine({ version: databases.version, loadBefore });
    console.log(`\n${machine}\n\n${Object.values(sections).join("\n\n")}\n`);
    if (whyNotWritten) console.log(`docs/benchmarks.md stays as it is: ${whyNotWritten}.`);
    else writeSections(sections, machine);
  } finally {
    await server.stop();
    removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).catch((error) => process.exit(reportFailure(error)));
