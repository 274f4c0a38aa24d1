/**
 * What the stages of a test run share: a temp folder, a private database made on first use, and a way to run programs.
 */
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureDataFolder, ensureSecrets } from "../postgres/data-folder.mjs";
import { databaseUrl, removeDatabase, startPostgres } from "../postgres/pg.mjs";
import { applicationNode, ROOT } from "../runtime.mjs";

/** Settings of the person's own installation must not affect the tests, nor the other way round. */
const FOREIGN = /^(KIMITSU_|AUTH_|DATABASE_|OTEL_|E2E_|PORT$|HOST$|LOG_LEVEL$|NODE_ENV$)/;
const KEPT = new Set(["KIMITSU_BROWSER"]);

export function createBench(lifecycle) {
  const folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-test-")));
  const secrets = ensureSecrets(folder);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.has(name) || !FOREIGN.test(name)));
  let server;
  let keep = false;

  lifecycle.started("", async () => {
    await (await server)?.stop();
    // After a failure the databases of the failed tests and the logs are worth inspecting.
    if (keep) return;
    if (server) removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    folder,
    secrets,
    env: { ...env, NEXT_TELEMETRY_DISABLED: "1", KIMITSU_DATA: folder, AUTH_SECRET: secrets.authSecret },
    signal: lifecycle.signal,
    started: lifecycle.started,
    keepLogs: () => (keep = true),
    /**
     * The URL of a database of this name on the private server, which is started on first use. The database need not
     * exist.
     */
    databaseUrl: async (name) => {
      server ??= startPostgres({ dataDir: folder, secrets, durable: false });
      return databaseUrl(secrets, (await server).port, name);
    },
    run: (script, args, options) => run(script, args, { env, signal: lifecycle.signal, ...options }),
    openLog: (name) => createWriteStream(path.join(folder, name), { flags: "a" }),
  };
}

/**
 * Runs a program under the application's Node. Resolves with `{ code, output }`; with `live` its output is shown as it
 * comes.
 */
function run(script, args, { env, signal, live = false }) {
  const child = spawn(applicationNode(), [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    env,
    stdio: live ? "inherit" : ["ignore", "pipe", "pipe"],
    signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
