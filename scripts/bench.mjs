#!/usr/bin/env node
/** `npm run bench`: Kimitsu beside its peers and the floor, one after the other in one run on one durable Postgres; ratios first. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureDataFolder, ensureSecrets } from "./data-folder.mjs";
import { install } from "./install.mjs";
import { deployMigrations } from "./migrate.mjs";
import { databaseUrl, removeDatabase, startPostgres } from "./pg.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";

const scale = Number(process.env.BENCH_SCALE ?? 1);
const PLAN = {
  warmUp: Math.ceil(100 * scale),
  rounds: [
    { concurrency: 1, count: Math.ceil(200 * scale) },
    { concurrency: 32, count: Math.ceil(1000 * scale) },
  ],
};
const BENCH = path.join(ROOT, "bench");

function installPeers() {
  if (existsSync(path.join(BENCH, "node_modules/@langchain/langgraph"))) return;
  console.log("Installing the peers (bench/package.json) …");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: BENCH, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new PlainError("The peers could not be installed; run npm ci in bench/ to see why.");
}

function runPart(name, args, env) {
  console.log(`Measuring ${name} …`);
  const { status, stdout, stderr } = spawnSync(applicationNode(), args, { cwd: ROOT, env: { ...process.env, ...env, LOG_LEVEL: "silent" }, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new PlainError(`${name} failed:\n${stderr.trim().split("\n").slice(-20).join("\n")}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const number = (value, digits = 0) => (value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }));

function report({ kimitsu, langgraph, floor }) {
  const cpu = os.cpus()[0]?.model ?? "unknown processor";
  console.log(`\n${os.cpus().length} × ${cpu}, Node ${process.version}, durable commits\n`);
  for (const [index, { concurrency }] of PLAN.rounds.entries()) {
    const [ours, theirs, bottom] = [kimitsu[index], langgraph[index], floor[index]];
    console.log(`${concurrency} at once: ${number(ours.perSecond / theirs.perSecond, 1)} × LangGraph in cycles per second; decision → done ${number(ours.p50 / theirs.p50, 2)} × its p50`);
    console.log("| | cycles/s | decision → done p50 / p99 ms | commits per run | WAL bytes per run |\n|---|---|---|---|---|");
    console.log(`| Kimitsu | ${number(ours.perSecond)} | ${number(ours.p50, 1)} / ${number(ours.p99, 1)} | ${number(ours.commits, 1)} | ${number(ours.walBytes)} |`);
    console.log(`| LangGraph JS + Postgres | ${number(theirs.perSecond)} | ${number(theirs.p50, 1)} / ${number(theirs.p99, 1)} | ${number(theirs.commits, 1)} | ${number(theirs.walBytes)} |`);
    console.log(`| floor: single commits | ${number(bottom.perSecond)} | ${number(bottom.p50, 1)} / ${number(bottom.p99, 1)} | 1 | – |\n`);
  }
}

async function main() {
  await install();
  await continueOnApplicationNode();
  installPeers();
  const folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-bench-")));
  const secrets = ensureSecrets(folder);
  const server = await startPostgres({ dataDir: folder, secrets });
  try {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: databaseUrl(secrets, server.port, "postgres") });
    await client.connect();
    for (const name of ["bench_kimitsu", "bench_langgraph", "bench_floor"]) await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const url = (name) => databaseUrl(secrets, server.port, name);
    await deployMigrations(url("bench_kimitsu"));
    const plan = JSON.stringify(PLAN);
    const floor = runPart("the floor", ["bench/floor.mjs", plan], { DATABASE_URL: url("bench_floor") });
    const langgraph = runPart("LangGraph", ["bench/langgraph.mjs", plan], { DATABASE_URL: url("bench_langgraph") });
    const kimitsu = runPart("Kimitsu", ["scripts/run-ts.mjs", "bench/kimitsu.ts"], { DATABASE_URL: url("bench_kimitsu"), BENCH_PLAN: plan, AUTH_SECRET: secrets.authSecret, NODE_ENV: "production" });
    report({ kimitsu, langgraph, floor });
  } finally {
    await server.stop();
    removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => process.exit(reportFailure(error)));
