/**
 * The embedded PostgreSQL: made on first use, listening on 127.0.0.1 alone, on a free port. It outlives a start that is
 * killed, and the next start uses it again.
 */
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { requireDiskSpace } from "../disk.mjs";
import { freePort } from "../process/ports.mjs";
import { APP_DATABASE, APP_ROLE, initialize, isInitialized } from "./pg-cluster.mjs";
import { isPassing, logSince, openLog, startFailure } from "./pg-log.mjs";
import { findRunning, untilReady } from "./pg-postmaster.mjs";
import { databaseSite } from "./pg-site.mjs";
import { isAlive } from "../process/process-info.mjs";

const ATTEMPTS_MAX = 20;
const RETRY_MS = 250;
const STOP_PATIENCE_MS = 20_000;
const POLL_MS = 50;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  timezone: "UTC",
  log_timezone: "UTC",
};

/**
 * For data that only has to live as long as a test: several times faster, and lost with the power. A running vacuum in
 * a database would keep a test from dropping it.
 */
const UNSAFE_SETTINGS = {
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "400",
};

export function databaseUrl(secrets, port, database = APP_DATABASE) {
  return `postgresql://${APP_ROLE}:${encodeURIComponent(secrets.databasePassword)}@127.0.0.1:${port}/${database}`;
}

/**
 * Resolves when the database accepts connections: `{ url, port, pid, adopted, cluster, moved, exited, stop }`. `exited`
 * resolves with the reason when the server ends. `port` is given when a server that died must restart on the port of
 * its clients; `settings` are Postgres's own.
 */
export async function startPostgres({ dataDir, secrets, durable = true, port, settings = {} }) {
  const site = databaseSite(dataDir);
  await requireDiskSpace(path.dirname(site.cluster));
  if (!isInitialized(site)) await initialize({ site, secrets, durable });
  for (let attempt = 1; ; attempt++) {
    const running = await findRunning(site.cluster, secrets);
    // Clients wait at their port; a server that another command started on another port has to stop.
    if (running && port !== undefined && running.port !== port) await stop(site, running.pid);
    else if (running) return describe({ site, secrets, ...running, exited: untilGone(running.pid), adopted: true });
    const chosen = port ?? (await freePort());
    const outcome = await launch({
      site,
      dataDir,
      port: chosen,
      settings: { ...SETTINGS, ...(durable ? {} : UNSAFE_SETTINGS), ...settings },
    });
    if (outcome.ready)
      return describe({ site, secrets, port: chosen, pid: outcome.pid, exited: outcome.exited, adopted: false });
    if (attempt === ATTEMPTS_MAX || !isPassing(outcome.log, port !== undefined))
      throw startFailure({ dataFolder: dataDir, cluster: site.cluster, log: outcome.log, ended: await outcome.exited });
    await delay(RETRY_MS);
  }
}

/** Deletes the files of a stopped database. For the databases of test runs. */
export function removeDatabase(dataDir) {
  const { cluster, moved } = databaseSite(dataDir);
  rmSync(moved ? path.dirname(cluster) : cluster, { recursive: true, force: true });
}

async function launch({ site, dataDir, port, settings }) {
  const log = openLog(dataDir);
  const args = [
    "-D",
    site.cluster,
    "-p",
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  // A process group of its own keeps the terminal's Ctrl-C away from it: the web process must end first.
  const child = spawn(path.join(site.native, "bin/postgres"), args, {
    ...site.ids,
    cwd: path.parse(site.native).root,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  log.close();
  const exited = new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  let ended = false;
  void exited.then(() => (ended = true));
  const ready = await untilReady(site.cluster, child.pid, () => ended);
  if (!ready && !ended) child.kill("SIGQUIT");
  // The start script must be able to end without the server: the next start adopts it.
  child.unref();
  return { ready, pid: child.pid, exited, log: ready ? "" : logSince(dataDir, log.offset) };
}

function describe({ site, secrets, port, pid, exited, adopted }) {
  const { cluster, moved } = site;
  return { url: databaseUrl(secrets, port), port, pid, adopted, cluster, moved, exited, stop: () => stop(site, pid) };
}

async function untilGone(pid) {
  while (isAlive(pid)) await delay(200, undefined, { ref: false });
  return "it was stopped from outside";
}

/** A fast shutdown: clients are disconnected, everything is written, then the server ends. Resolves when it has. */
async function stop(site, pid) {
  if (process.platform === "win32") {
    spawnSync(path.join(site.native, "bin/pg_ctl"), ["stop", "-D", site.cluster, "-m", "fast", "-w"]);
    return;
  }
  signal(pid, "SIGINT");
  const deadline = Date.now() + STOP_PATIENCE_MS;
  let pressed = false;
  while (isAlive(pid)) {
    if (!pressed && Date.now() > deadline) {
      // Ends at once and recovers at the next start; nothing committed is lost.
      signal(pid, "SIGQUIT");
      pressed = true;
    }
    await delay(POLL_MS);
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
