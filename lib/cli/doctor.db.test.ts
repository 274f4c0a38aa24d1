import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  checkClock,
  checkDatabase,
  checkDurability,
  checkMigrations,
  checkServer,
  checkUser,
  VERSION_MIN,
} from "@/lib/cli/doctor/check-database";
import { checkProject } from "@/lib/cli/doctor/check-project";
import { describeFindings } from "@/lib/cli/doctor";
import { createPaint } from "@/lib/cli/project-options";
import { connect } from "@/lib/database/client";
import { getDatabaseFacts } from "@/lib/database/queries/get-database-facts";
import { openApiBench } from "@/lib/testing/api-bench";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
const MIGRATIONS = path.resolve(import.meta.dirname, "../../prisma/migrations");
const deps = () => ({ db: database.db, now: () => new Date() });
const states = (findings: { check: string; state: string }[]) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state]));

describe("the database", () => {
  test("reachable, migrated and with the same time, but without a person or a worker", async () => {
    // The measured clock difference depends on how busy the test machine is.
    expect(states(await checkDatabase(async () => deps(), MIGRATIONS))).toEqual({
      database: expect.stringMatching(/ok|warning/),
      "database user": "ok",
      clock: "ok",
      durability: "warning",
      migrations: "ok",
      people: "problem",
      worker: "warning",
    });
    await buildUser(deps(), "admin");
    await database.db.worker.create({ data: { id: "wrk_x", process: "x", capacity: 1, heartbeatAt: new Date() } });
    expect(states(await checkDatabase(async () => deps(), MIGRATIONS))).toMatchObject({ people: "ok", worker: "ok" });
  });

  test("with a superuser is a warning: nothing would keep it from changing the trail", async () => {
    expect(checkUser({ user: "postgres", isSuperuser: true })).toMatchObject({
      state: "warning",
      text: expect.stringContaining("superuser"),
      hint: expect.stringContaining("DATABASE_URL"),
    });
    const [known] = await database.db.$queryRaw<
      { super: boolean }[]
    >`SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user`;
    expect(await getDatabaseFacts(database.db, () => new Date())).toMatchObject({ isSuperuser: known!.super });
  });

  test("that can lose commits is a warning, for each setting by itself", () => {
    const sound = { fsync: true, synchronousCommit: "on", synchronousStandbyNames: "", standbys: 0 };
    expect(checkDurability(sound)).toEqual([expect.objectContaining({ state: "ok" })]);
    const findings = checkDurability({ ...sound, fsync: false, synchronousCommit: "local", standbys: 2 });
    expect(findings.map(({ state }) => state)).toEqual(["warning", "warning", "warning"]);
    expect(findings.map(({ hint }) => hint).join(" ")).toMatch(/fsync = on.*synchronous_commit = on.*synchronous_mode/);
  });

  test("that is unreachable is one problem with a remedy, and no crash", async () => {
    const away = { ...deps(), db: connect("postgresql://x:x@127.0.0.1:9/x", 1) };
    expect(await checkDatabase(async () => away, MIGRATIONS)).toEqual([
      expect.objectContaining({ check: "database", state: "problem", hint: expect.stringContaining("DATABASE_URL") }),
    ]);
  });

  test("older than the handbook requires is a problem", () => {
    const asked = readFileSync(path.resolve(MIGRATIONS, "../../docs/operations.md"), "utf8").match(
      /PostgreSQL (\d+) or newer/,
    )?.[1];
    expect(Number(asked)).toBe(VERSION_MIN);
    expect(["14.13", "15.0", "18.4"].map((version) => checkServer({ version, roundTripMs: 1 }).state)).toEqual([
      "problem",
      "ok",
      "ok",
    ]);
  });

  test("missing, unfinished and foreign migrations are distinguished", () => {
    const all = readdirSync(MIGRATIONS, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, finished: true }));
    const [first, ...rest] = all;
    expect(checkMigrations({ migrations: all }, MIGRATIONS).state).toBe("ok");
    expect(checkMigrations({ migrations: null }, MIGRATIONS)).toMatchObject({
      state: "problem",
      hint: "Run: npm run db:migrate",
    });
    expect(checkMigrations({ migrations: [...rest, { ...first!, finished: false }] }, MIGRATIONS).text).toContain(
      "begun and not finished",
    );
    expect(
      checkMigrations({ migrations: [...all, { name: "20991231000000_later", finished: true }] }, MIGRATIONS).text,
    ).toContain("not part of this release");
  });

  test("a clock difference is a problem beyond the time of a lease, less the time of the round trip", () => {
    const apart = (aheadMs: number, roundTripMs = 0) => checkClock({ aheadMs, roundTripMs }).state;
    expect([apart(0), apart(-499), apart(600), apart(600, 200), apart(-2_000)]).toEqual([
      "ok",
      "ok",
      "warning",
      "ok",
      "problem",
    ]);
  });
});

describe("the project", () => {
  const check = (root: string, processEnv: Record<string, string> = {}, allowHosts = ["127.0.0.1"]) =>
    checkProject({
      root,
      shown: "kimitsu",
      load: { deployment: { allowStdio: false, allowBypass: false }, processEnv },
      allowHosts,
      allowStdio: false,
      askModels: true,
    });

  test("one that works: files, server and scripted model; unlocked tools are a warning", async () => {
    const bench = await openApiBench(database);
    expect(states(await check(bench.deps.projects.current().project.root))).toEqual({
      configuration: "ok",
      "tool server recorder": "warning",
      "provider test": "ok",
    });
  });

  test("a server that cannot be reached, and a variable that is set nowhere, each with what to do", async () => {
    const workflow =
      'kind: workflow\nname: main\nenv: [{ name: NEEDED }]\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n  - id: tell\n    webhook: { url: "{{ env.NEEDED }}", body: {} }\n';
    const bench = await openApiBench(database, {
      url: "http://127.0.0.1:9/mcp",
      workflow,
      processEnv: { NEEDED: "https://example.org" },
    });
    const findings = await check(bench.deps.projects.current().project.root);
    expect(states(findings)).toMatchObject({ "tool server recorder": "problem" });
    expect(findings.filter(({ state }) => state === "problem").every(({ hint }) => hint)).toBe(true);
    expect(JSON.stringify(findings)).toContain("NEEDED");
  });
});

test("the text ends with a summary", () => {
  const text = describeFindings(
    [
      { check: "a", state: "ok", text: "fine" },
      { check: "bb", state: "problem", text: "bad", hint: "do this" },
    ],
    createPaint(false),
  );
  expect(text.split("\n")).toEqual(["ok    a   fine", "FAIL  bb  bad", "          → do this", "", "1 to put right."]);
});
