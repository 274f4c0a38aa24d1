import { existsSync, mkdtempSync, openSync, closeSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startChildProgram } from "@/lib/testing/child-program";
import { hostedServer, isRunning, readDiary } from "@/lib/testing/hosted/hosted-server";
import { testPool } from "@/lib/testing/hostile-servers/tool-server";
import { until } from "@/lib/testing/until";
import { callTool } from "./call-tool";
import type { ToolPool, ToolPoolOptions } from "./tool-pool";
import type { ToolServer } from "./tool-server";

const cleanup: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

function open(options: Partial<ToolPoolOptions> = {}): ToolPool {
  const pool = testPool({ stdio: { env: { PATH: process.env.PATH ?? "" } }, ...options });
  cleanup.push(() => pool.close());
  return pool;
}

function newDiary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-hosting-"));
  cleanup.push(() => rmSync(folder, { recursive: true }));
  return path.join(folder, "diary");
}

const call = (pool: ToolPool, server: ToolServer, tool: string, args: Record<string, unknown> = {}) =>
  callTool(pool, server, { tool, arguments: args, fingerprint: null, callId: "call_test" });

async function ask<T>(pool: ToolPool, server: ToolServer, tool: string, args = {}): Promise<T> {
  const outcome = await call(pool, server, tool, args);
  if (outcome.kind !== "answered") throw outcome.error;
  return JSON.parse(outcome.result.output) as T;
}

const gone = (pid: number) =>
  until(async () => isRunning(pid), { what: `process ${pid} ends`, isDone: (running) => !running });

describe("one program", () => {
  test(
    verifies("hosting:shared", "serves all uses with the same params and credential, and no other use"),
    async () => {
      const pool = open();
      const pids = await Promise.all(
        [{ secret: "SENTINEL-a" }, { secret: "SENTINEL-a" }, { secret: "SENTINEL-b" }, {}, { env: { X: "1" } }].map(
          (use) => ask<number>(pool, hostedServer(use), "pid"),
        ),
      );
      expect(pids[0]).toBe(pids[1]);
      expect(new Set(pids).size).toBe(4);
      expect(await ask(pool, hostedServer({ secret: "SENTINEL-a" }), "pid")).toBe(pids[0]);
    },
  );

  test("with other limits is another one", async () => {
    const pool = open();
    const [few, many] = [hostedServer({ limits: { memory_mb: 500 } }), hostedServer({ limits: { memory_mb: 600 } })];
    expect(await ask(pool, few, "pid")).not.toBe(await ask(pool, many, "pid"));
  });
});

describe("a program that ends", () => {
  test(
    verifies("hosting:died", "while it had a call leaves the outcome unknown, and the next call gets a new program"),
    async () => {
      const DIARY = newDiary();
      const ends: string[] = [];
      const pool = open({ onProgramEnded: (server, reason) => ends.push(`${server}: ${reason}`) });
      const server = hostedServer({ env: { DIARY } });
      const before = await ask<number>(pool, server, "pid");
      const outcome = await call(pool, server, "die");
      expect(outcome).toMatchObject({ kind: "unknown", reason: "its program ended with code 7" });
      expect(readDiary(DIARY).filter(({ worked }) => worked)).toHaveLength(1);
      expect(ends).toEqual(["test: its program ended with code 7"]);
      expect(await ask<number>(pool, server, "pid")).not.toBe(before);
    },
  );

  test(
    verifies("hosting:crash-loop", "as soon as it is started is not started for every call, and the error says why"),
    async () => {
      const DIARY = newDiary();
      let now = 1_000;
      const pool = open({ now: () => now });
      const server = hostedServer({ env: { DIARY, CRASH: "3" } });
      const starts = () => readDiary(DIARY).length;
      const outcomes = [];
      for (let index = 0; index < 10; index += 1) outcomes.push(await call(pool, server, "pid"));
      expect(starts()).toBe(4);
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({
          kind: "not_sent",
          reason: "unreachable",
          retryable: true,
          error: { message: expect.stringContaining("its program ended with code 3, 2 times in a row") },
        });
      now += 1_001;
      await call(pool, server, "pid");
      expect(starts()).toBe(6);
      now += 1_001;
      await call(pool, server, "pid");
      expect(starts()).toBe(6);
      now += 1_000;
      await call(pool, server, "pid");
      expect(starts()).toBe(8);
    },
  );

  test("after a long life is started again at once", async () => {
    let now = 1_000;
    const pool = open({ now: () => now });
    const server = hostedServer();
    for (let index = 0; index < 4; index += 1) {
      await ask<number>(pool, server, "pid");
      now += 61_000;
      expect(await call(pool, server, "die")).toMatchObject({ kind: "unknown" });
    }
  });

  test("at a request that it does not know is started without that request, and asked no more", async () => {
    const DIARY = newDiary();
    const ends: string[] = [];
    let now = 1_000;
    const pool = open({ now: () => now, idleCloseMs: 20, onProgramEnded: (_server, reason) => ends.push(reason) });
    const server = hostedServer({ env: { DIARY, OLD: "1" } });
    const pid = await ask<number>(pool, server, "pid");
    now += 60_000;
    await gone(pid);
    await ask<number>(pool, server, "pid");
    const asked = readDiary(DIARY).filter(({ read }) => read?.method === "server/discover");
    expect(asked).toHaveLength(1);
    expect(ends).toEqual([]);
  });

  test("cannot be started at all: the error says what is wrong, and nothing is retried", async () => {
    const server = hostedServer();
    const missing = { ...server, definition: { ...server.definition, command: "kimitsu-no-such-program" } };
    expect(await call(open(), missing, "pid")).toMatchObject({
      kind: "not_sent",
      reason: "refused",
      retryable: false,
      error: { message: expect.stringContaining('the program "kimitsu-no-such-program" cannot be started') },
    });
  });
});

describe("limits", () => {
  test(
    verifies("hosting:memory", "count all that a program started; over them it is ended, and its call is unknown"),
    async () => {
      const pool = open({ memoryLookIntervalMs: 20 });
      const server = hostedServer({ limits: { memory_mb: 300 } });
      const pid = await ask<number>(pool, server, "pid");
      expect(await call(pool, server, "grow")).toMatchObject({
        kind: "unknown",
        reason: expect.stringMatching(/^its program used \d+ MB of memory, its limit is 300 MB, and it was ended$/),
      });
      await gone(pid);
    },
  );

  test("a program that does not answer in time is ended", async () => {
    const DIARY = newDiary();
    const server = hostedServer({ env: { DIARY, SILENT: "1" }, limits: { start_timeout: "1s" } });
    expect(await call(open(), server, "pid")).toMatchObject({ kind: "not_sent", reason: "unreachable" });
    const pids = readDiary(DIARY).flatMap(({ started }) => started ?? []);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) await gone(pid);
  });

  test("a program is kept for `idle`, and then ended", async () => {
    let now = 1_000;
    const pool = open({ now: () => now, idleCloseMs: 20 });
    const kept = await ask<number>(pool, hostedServer({ limits: { idle: "10m" } }), "pid");
    const other = await ask<number>(pool, hostedServer(), "pid");
    now += 9 * 60_000;
    // It is looked at after the one that is kept.
    await gone(other);
    expect(isRunning(kept)).toBe(true);
    now += 2 * 60_000;
    await gone(kept);
  });
});

describe("what is left", () => {
  test(
    verifies("hosting:group", "after a close: neither the program, nor what it started, nor its folder"),
    async () => {
      const pool = open();
      const server = hostedServer({ env: { STUBBORN: "1" } });
      const [pid, child] = [await ask<number>(pool, server, "pid"), await ask<number>(pool, server, "spawn")];
      const { cwd } = await ask<{ cwd: string }>(pool, server, "place");
      expect([isRunning(pid), isRunning(child), existsSync(cwd)]).toEqual([true, true, true]);
      await pool.close();
      expect([isRunning(pid), isRunning(child), existsSync(cwd)]).toEqual([false, false, false]);
    },
  );

  test("after the program has ended by itself: nothing that it started", async () => {
    const pool = open();
    const server = hostedServer();
    const child = await ask<number>(pool, server, "spawn");
    await call(pool, server, "die");
    await gone(child);
  });

  test(
    verifies(
      "hosting:orphans",
      "after our own process was killed: neither the program, nor what it started, nor its folder",
    ),
    async () => {
      const host = await startChildProgram("lib/testing/hosted/host.ts");
      const { program, child, cwd } = JSON.parse(await host.nextLine()) as Record<"program" | "child", number> & {
        cwd: string;
      };
      expect([isRunning(program), isRunning(child), existsSync(cwd)]).toEqual([true, true, true]);
      await host.stop("SIGKILL");
      await gone(program);
      await gone(child);
      await until(async () => existsSync(cwd), { what: "the folder is removed", isDone: (exists) => !exists });
    },
  );
});

describe("what a program gets", () => {
  test(verifies("hosting:secrets", "secrets in its environment, and in no message"), async () => {
    const DIARY = newDiary();
    const pool = open();
    const server = hostedServer({ env: { DIARY }, secret: "SENTINEL-hosted" });
    const outcome = await call(pool, server, "env");
    expect(outcome).toMatchObject({ result: { output: expect.stringContaining('"TOKEN":"[secret]"') } });
    const read = readDiary(DIARY).filter((entry) => entry.read);
    expect(JSON.stringify(read)).toContain('"region":"eu"');
    expect(JSON.stringify(read)).not.toContain("SENTINEL");
  });

  test("a private folder to work in, and no open file of ours", async () => {
    const DIARY = newDiary();
    const held = openSync(DIARY, "w");
    cleanup.push(() => closeSync(held));
    const pool = open();
    const place = await ask<{ cwd: string; mode: number }>(pool, hostedServer(), "place");
    expect(place).toEqual({ cwd: expect.stringContaining("kimitsu-server-"), mode: 0o700 });
    expect(await ask<string[]>(pool, hostedServer(), "descriptors")).not.toContain(DIARY);
  });

  test(verifies("hosting:stderr", "its standard error goes to the log by lines, without its secrets"), async () => {
    const lines: string[] = [];
    const pool = open({ onStderr: (server, line) => lines.push(`${server}: ${line}`) });
    const text = "key is SENTINEL-key-line-1\n\u001B[31mred\u001B[0m\n\nSENTINEL-second-line-2 alone\nlast\n";
    const server = hostedServer({ secret: "SENTINEL-key-line-1\nSENTINEL-second-line-2" });
    await ask(pool, server, "say", { text });
    await until(async () => lines, { what: "all lines", isDone: (seen) => seen.includes("test: last") });
    expect(lines).toEqual(["test: key is [secret]", "test: red", "test: [secret] alone", "test: last"]);
  });
});
