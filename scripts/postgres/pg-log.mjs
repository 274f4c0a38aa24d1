/** PostgreSQL's own log, and what it means for a person when the server does not start. */
import { closeSync, ftruncateSync, openSync, readFileSync, fstatSync } from "node:fs";
import path from "node:path";
import { diskFullError, isDiskFull } from "../disk.mjs";
import { PlainError } from "../plain-error.mjs";

const LOG_BYTES_MAX = 10 * 1024 * 1024;
const TAIL_LINES = 12;

export const logPath = (dataFolder) => path.join(dataFolder, "postgres.log");

/** Opens the log for appending, emptied when it has grown too large. `offset` is where this start's own lines begin. */
export function openLog(dataFolder) {
  const fd = openSync(logPath(dataFolder), "a", 0o600);
  if (fstatSync(fd).size > LOG_BYTES_MAX) ftruncateSync(fd, 0);
  return { fd, offset: fstatSync(fd).size, close: () => closeSync(fd) };
}

export function logSince(dataFolder, offset) {
  return readFileSync(logPath(dataFolder)).subarray(offset).toString("utf8");
}

/**
 * True for a failure that another attempt may avoid: the port was taken after we chose it, a killed server's last
 * workers have not noticed yet, or another command has just started the server.
 */
export function isPassing(log, isPortFixed) {
  if (/pre-existing shared memory block|lock file "postmaster.pid" already exists/i.test(log)) return true;
  return !isPortFixed && /could not bind|Address already in use|could not create any TCP\/IP sockets/i.test(log);
}

/** The lines that say why: the fatal ones with what surrounds them, or else the last ones. */
export function usefulLines(log) {
  const lines = log.trim().split("\n").filter(Boolean);
  const first = lines.findIndex((line) => /(FATAL|PANIC|ERROR):/.test(line));
  return (first === -1 ? lines.slice(-TAIL_LINES) : lines.slice(first, first + TAIL_LINES)).join("\n");
}

export function startFailure({ dataFolder, cluster, log, ended }) {
  if (isDiskFull(log)) return diskFullError(cluster);
  const why = usefulLines(log) || "It wrote nothing before it ended.";
  if (/Permission denied|invalid permissions|wrong ownership/i.test(log))
    return new PlainError(
      `The embedded PostgreSQL may not use its files in ${cluster}:\n\n${why}\n\n` +
        "They must belong to the user who starts Kimitsu (or to `nobody` when that is root) and be closed to all others.",
    );
  return new PlainError(
    `The embedded PostgreSQL did not start (${ended}):\n\n${why}\n\nIts whole log: ${logPath(dataFolder)}`,
  );
}
