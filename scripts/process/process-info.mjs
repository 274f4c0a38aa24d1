/** What the system knows about another process. A process id alone proves nothing: ids are reused. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** False for a process that has ended but was not yet reaped by its parent: it holds nothing any more. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  return process.platform !== "linux" || !["Z", "X"].includes(statFields(pid)?.[0]);
}

function statFields(pid) {
  try {
    // The command's name is in brackets and may contain spaces, so the fields are counted from the last bracket.
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\)\s/s, "")
      .split(" ");
  } catch {
    return null;
  }
}

/**
 * A text that differs between two processes that had the same id; null when there is no such process or no way to know.
 */
export function startMark(pid) {
  if (process.platform === "linux") {
    const fields = statFields(pid);
    return fields && `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[19]}`;
  }
  return ask("lstart", pid);
}

/** The command line of a process, or null when it is not known. */
export function commandLine(pid) {
  if (process.platform === "linux") {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return null;
    }
  }
  return ask("command", pid);
}

function ask(column, pid) {
  if (process.platform === "win32") return null;
  const result = spawnSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" });
  return result.status === 0 && result.stdout.trim() ? result.stdout.trim() : null;
}
