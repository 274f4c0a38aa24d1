import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockHolder, takeLock } from "./instance-lock.mjs";
import { startMark } from "./process-info.mjs";

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-lock-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function holdInAnotherProcess(address: string): Promise<ChildProcess> {
  const module = path.join(import.meta.dirname, "instance-lock.mjs");
  const code = `const { takeLock } = await import(${JSON.stringify(module)}); takeLock(${JSON.stringify(folder)}, ${JSON.stringify(address)}); console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout!, "data");
  return child;
}

test("a second start is given the address and the process of the first", async () => {
  const first = await holdInAnotherProcess("http://localhost:3000");
  expect(() => takeLock(folder, "http://localhost:3001")).toThrow(
    new RegExp(`already running .*http://localhost:3000 \\(process ${first.pid}\\)`),
  );
  expect(lockHolder(folder)).toMatchObject({ pid: first.pid, address: "http://localhost:3000" });
});

test("the lock of a killed start does not block the next one", async () => {
  const first = await holdInAnotherProcess("http://localhost:3000");
  first.kill("SIGKILL");
  await once(first, "exit");
  expect(lockHolder(folder)).toBeNull();
  const release = takeLock(folder, "http://localhost:3001");
  expect(lockHolder(folder)).toMatchObject({ pid: process.pid });
  release();
  expect(lockHolder(folder)).toBeNull();
});

test("another program that got the process id of a killed start does not hold its lock", () => {
  writeFileSync(
    path.join(folder, "running.json"),
    JSON.stringify({ pid: process.ppid, started: "an earlier process", address: "x" }),
  );
  expect(startMark(process.ppid)).not.toBeNull();
  expect(lockHolder(folder)).toBeNull();
  takeLock(folder, "http://localhost:3001");
});

test("a truncated lock file belongs to nobody", () => {
  writeFileSync(path.join(folder, "running.json"), '{"pid": 12');
  takeLock(folder, "http://localhost:3001");
  expect(lockHolder(folder)).toMatchObject({ pid: process.pid });
});

test("releasing a lock twice does not take it from the next holder", () => {
  const release = takeLock(folder, "a");
  release();
  const other = JSON.stringify({ pid: process.ppid, started: startMark(process.ppid), address: "b" });
  writeFileSync(path.join(folder, "running.json"), other);
  release();
  expect(readFileSync(path.join(folder, "running.json"), "utf8")).toBe(other);
});
