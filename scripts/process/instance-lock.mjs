/**
 * One Kimitsu per data folder. The lock is a file that names its holder by process id and start time, so a holder that
 * was killed, and even one whose id now belongs to something else, does not block the next start.
 */
import { readFileSync, renameSync, rmSync, linkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PlainError } from "../plain-error.mjs";
import { isAlive, startMark } from "./process-info.mjs";

const ATTEMPTS_MAX = 20;

const lockPath = (folder) => path.join(folder, "running.json");

/** Who holds the lock and is still running: `{ pid, address }`, or null. */
export function lockHolder(folder) {
  const text = readLock(folder);
  return text === null ? null : liveHolder(text);
}

/** Takes the lock or reports who has it. The returned function releases it. */
export function takeLock(folder, address) {
  const file = lockPath(folder);
  const mine = JSON.stringify({ pid: process.pid, started: startMark(process.pid), address });
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (create(file, mine)) return () => readLock(folder) === mine && rmSync(file, { force: true });
    const found = readLock(folder);
    if (found === null) continue;
    const holder = liveHolder(found);
    if (holder)
      throw new PlainError(
        `Kimitsu is already running with the data folder ${folder}: ${holder.address} (process ${holder.pid}).\n` +
          `Stop it with Ctrl-C where it was started, or with: kill ${holder.pid}\n` +
          "To run a second one, give it a folder and a port of its own: KIMITSU_DATA=.kimitsu-2 PORT=3001 npm start",
      );
    removeStale(folder, found);
  }
  throw new PlainError(`The lock ${file} keeps changing hands; another start is under way in this folder.`);
}

/** Written to another file and linked into place, so that nobody ever reads half a lock. */
function create(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readLock(folder) {
  try {
    return readFileSync(lockPath(folder), "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  }
}

function liveHolder(text) {
  try {
    const holder = JSON.parse(text);
    const alive = Number.isInteger(holder.pid) && isAlive(holder.pid) && startMark(holder.pid) === holder.started;
    return alive ? holder : null;
  } catch {
    return null;
  }
}

/** Removes only the lock that was found to be stale: meanwhile someone may have taken it. */
function removeStale(folder, stale) {
  const file = lockPath(folder);
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  try {
    if (readFileSync(aside, "utf8") !== stale) linkSync(aside, file);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
