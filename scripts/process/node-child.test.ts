import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startNode } from "./node-child.mjs";
import { isAlive } from "./process-info.mjs";
import { HANG_MS } from "@/lib/testing/hang";

let folder: string;
let program: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-child-"));
  program = path.join(folder, "program.mjs");
  writeFileSync(
    program,
    'process.on("disconnect", () => process.exit(0)); console.log(`pid ${process.pid}`); setInterval(() => {}, 1000);',
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a child ends when its parent is killed without warning", async () => {
  const module = path.join(import.meta.dirname, "node-child.mjs");
  const parentCode = `const { startNode } = await import(${JSON.stringify(module)}); startNode({ name: "web", args: [${JSON.stringify(program)}], env: process.env });`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", parentCode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: parent.stdout! }), "line")) as [string];
  const pid = Number(/^web {2}\| pid (\d+)$/.exec(line)?.[1]);
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: HANG_MS, interval: 20 });
});

test("stopping waits until the process is gone and says how it ended", async () => {
  const started = Promise.withResolvers<void>();
  const child = startNode({ name: "web", args: [program], env: process.env, write: () => started.resolve() });
  await started.promise;
  await child.stop();
  expect(isAlive(child.pid)).toBe(false);
  expect(await child.exited).toBe("signal SIGTERM");
});
