import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { nextWaitMs, supervise } from "./supervise.mjs";

test("the wait doubles up to a quarter of a minute, and starts again after a healthy minute", () => {
  const waits = [0];
  for (let i = 0; i < 7; i++) waits.push(nextWaitMs(waits.at(-1), 100));
  expect(waits.slice(1)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  expect(nextWaitMs(15_000, 60_000)).toBe(500);
});

/** Real processes that live until they are ended; `pids` collects them in order of start. */
function keeper() {
  const pids: number[] = [];
  const lines: string[] = [];
  let onStart = () => {};
  const start = async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    pids.push(child.pid!);
    onStart();
    const exited = once(child, "exit").then(([code, signal]) => (signal ? `signal ${signal}` : `exit code ${code}`));
    return { exited, stop: async () => void (child.kill("SIGKILL"), await exited) };
  };
  const nextStart = () => new Promise<void>((resolve) => (onStart = resolve));
  return { pids, lines, start, nextStart, say: (line: string) => lines.push(line) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a killed process is started again, and one line says why", async () => {
  const { pids, lines, start, nextStart, say } = keeper();
  const kept = await supervise({ name: "web", start, say });
  const again = nextStart();
  process.kill(pids[0]!, "SIGKILL");
  await again;
  expect(lines).toEqual(["web ended (signal SIGKILL); starting it again in 0.5 s"]);
  expect(isAlive(pids[1]!)).toBe(true);
  await kept.stop();
  expect(isAlive(pids[1]!)).toBe(false);
});

test("a stopped process stays down and is not reported", async () => {
  const { pids, lines, start, say } = keeper();
  const kept = await supervise({ name: "web", start, say });
  await kept.stop();
  expect(pids).toHaveLength(1);
  expect(lines).toEqual([]);
});

test("a restart on purpose is at once and is not reported as a failure", async () => {
  const { pids, lines, start, nextStart, say } = keeper();
  const kept = await supervise({ name: "web", start, say });
  const again = nextStart();
  await kept.restart();
  await again;
  expect(lines).toEqual([]);
  await kept.stop();
  expect(pids.filter(isAlive)).toEqual([]);
});

test("a first start that fails is the caller's to report", async () => {
  await expect(
    supervise({ name: "web", say: () => {}, start: () => Promise.reject(new Error("no port")) }),
  ).rejects.toThrow("no port");
});
