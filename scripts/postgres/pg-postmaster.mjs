/** Finds, checks and adopts the server that may already run on a folder. */
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT_ROLE } from "./pg-cluster.mjs";
import { PlainError } from "../plain-error.mjs";
import { commandLine, isAlive } from "../process/process-info.mjs";

const POLL_MS = 25;
/** Replaying the log after a crash may take minutes on a busy database; giving up early would only crash it again. */
const READY_TIMEOUT_MS = 300_000;

/** The server's own record of who serves the folder: `{ pid, folder, port, status }`, or null. */
export function readPostmaster(cluster) {
  try {
    const lines = readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number(lines[0]), folder: lines[1], port: Number(lines[3]), status: lines[7]?.trim() ?? "" };
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Waits until the server with this process id accepts connections. Resolves with false when it ends before. */
export async function untilReady(cluster, pid, hasEnded) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const found = readPostmaster(cluster);
    if (found?.pid === pid && found.status.startsWith("ready")) return true;
    if (hasEnded()) return false;
    await delay(POLL_MS);
  }
  return false;
}

/**
 * Returns the running server of this folder, once it is ready, or null when there is none. A server that outlived a
 * killed start is used again: starting a second one on the same files would be refused.
 */
export async function findRunning(cluster, secrets) {
  const found = readPostmaster(cluster);
  if (!found || !isAlive(found.pid)) return null;
  if (!servesFolder(found, cluster)) {
    disown(cluster);
    return null;
  }
  const gone = () => !isAlive(found.pid);
  if (found.status.startsWith("stopping") || !(await untilReady(cluster, found.pid, gone))) {
    while (!gone()) await delay(POLL_MS);
    return null;
  }
  const { port } = readPostmaster(cluster);
  await requireOurs(port, cluster, secrets);
  return { pid: found.pid, port };
}

/** A process id that was given to another program after a crash must not be mistaken for the server. */
function servesFolder(found, cluster) {
  const command = commandLine(found.pid);
  return command === null || (command.includes("postgres") && command.includes(cluster));
}

/**
 * The record belongs to a dead server whose id now belongs to another program. It is not deleted, because it also names
 * the shared memory by which PostgreSQL sees that a worker of the dead server still writes. Writing our own id into it
 * works: a server never takes its parent for a rival, and then makes that check itself.
 */
function disown(cluster) {
  const file = path.join(cluster, "postmaster.pid");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(process.pid)));
}

async function requireOurs(port, cluster, secrets) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: ROOT_ROLE,
    password: secrets.databaseRootPassword,
    database: "postgres",
  });
  try {
    await client.connect();
    const { rows } = await client.query("SHOW data_directory");
    if (realpathSync(rows[0].data_directory) === realpathSync(cluster)) return;
  } catch (cause) {
    if (cause.code !== "28P01") throw cause;
    throw new PlainError(
      `The PostgreSQL on port ${port} that serves ${cluster} does not accept the password in secrets.json.\n` +
        "The file was probably replaced after the database was made. Restore it from a backup.",
      { cause },
    );
  } finally {
    await client.end().catch(() => {});
  }
  throw new PlainError(
    `The PostgreSQL on port ${port} serves another folder than ${cluster}. Stop it and start again.`,
  );
}
