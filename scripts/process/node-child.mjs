/** A process of ours under the application's Node, whose output appears line by line under its name. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { printLine } from "../progress.mjs";
import { applicationNode, ROOT } from "../runtime.mjs";

const STOP_PATIENCE_MS = 12_000;

/**
 * Returns `{ pid, messages, exited, stop }`. The child has a channel to us and ends when it closes, so that even a
 * killed start leaves nothing behind. It is in a process group of its own, so that Ctrl-C reaches only us and things
 * end in order.
 */
export function startNode({ name, args, env, onMessage = () => {}, write = printLine }) {
  const child = spawn(applicationNode(), args, {
    cwd: ROOT,
    env,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => write(`${name.padEnd(4)} | ${line}`));
  child.on("message", onMessage);
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, reason: error.message }));
    child.once("exit", (code, signal) => resolve({ code, reason: signal ? `signal ${signal}` : `exit code ${code}` }));
  });
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    child.kill("SIGTERM");
    const late = delay(STOP_PATIENCE_MS, "late", { ref: false });
    if ((await Promise.race([ended, late])) !== "late") return;
    child.kill("SIGKILL");
    await ended;
  };
  return { pid: child.pid, ended, exited: ended.then(({ reason }) => reason), stop };
}
