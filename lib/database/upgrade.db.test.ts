/**
 * Runs of a database with the first schema continue after every migration since: waiting, in progress, and ended ones.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import { writeAnchor } from "@/lib/audit/transitions/write-anchor";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { connect, type Db } from "@/lib/database/client";
import { processVariables } from "@/lib/env";
import { settleCall } from "@/lib/runs/settle-call";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { databaseUrl, type TestDatabase, withServer } from "@/lib/testing/database";
import { startPrivatePostgres } from "@/lib/testing/private-postgres";
import type { RecordingServer } from "@/lib/testing/recording-server";
import {
  ASKED_TOOL,
  countCalls,
  FREE_TOOL,
  seeToTheEnd,
  startTwoCalls,
  twoCallsProject,
} from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { restoreFixture, startFixtureServer, writeFixture } from "@/lib/testing/upgrade-fixture";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

// Set before anything is imported, because the fixture's seals and secrets were made with it.
vi.hoisted(() => void (process.env.AUTH_SECRET = "the secret of a fixture guards nothing"));

const isWritten = processVariables().UPGRADE_FIXTURE === "write";
const name = `kimitsu_test_${randomBytes(6).toString("hex")}`;
let server: RecordingServer;
beforeAll(async () => void (server = await startFixtureServer()));
afterAll(() => server?.close());

const findRun = (db: Db, tag: string) =>
  db.run.findFirstOrThrow({
    where: { params: { path: ["tag"], equals: tag } },
    include: { calls: true, approvals: true },
  });
const callOf = async (db: Db, tag: string, tool: string) =>
  (await findRun(db, tag)).calls.find((call) => call.tool === tool)!;

describe.runIf(isWritten)("the fixture", () => {
  test("is written by processes that work and one that dies", async () => {
    const postgres = await startPrivatePostgres();
    const fleet = await openFleet(postgres, twoCallsProject(server.url));
    const { db } = postgres;
    const person = await fleet.person("Rea");
    const worker = await fleet.startWorker();
    const { runId } = await startTwoCalls(fleet.deps, "finished");
    await seeToTheEnd(fleet.deps, server, person, runId);
    await startTwoCalls(fleet.deps, "waiting");
    await until(() => findRun(db, "waiting"), {
      what: "a run that waits",
      isDone: (run) => run.status === "pending_approval" && run.leaseOwner === null,
    });
    const hold = fleet.pauses.holdAt("dispatch-call:after-call");
    await startTwoCalls(fleet.deps, "executing");
    await hold.reached();
    await writeAnchor(db, new Date());
    await worker.stop("SIGKILL");
    expect((await callOf(db, "executing", FREE_TOOL)).status).toBe("executing");
    await writeFixture(db);
    await fleet.close();
    await postgres.remove();
  });
});

describe.skipIf(isWritten)(
  verifies("engine:upgrade", "runs of a database of the first schema, after all migrations since"),
  () => {
    let fleet: Fleet;
    let by: DecidedBy;
    const database = { closing: [] as TestDatabase["closing"] } as TestDatabase;
    const journalOf = (runId: string) =>
      database.db.$queryRaw`SELECT seq, at, body, mac, hash, data FROM journal WHERE run_id = ${runId} ORDER BY seq`;
    const findings = async () => (await verifyAudit(fleet.deps)).findings;

    beforeAll(async () => {
      await withServer((client) => client.query(`CREATE DATABASE "${name}"`));
      database.url = databaseUrl(name);
      await restoreFixture(database.url);
      database.db = catchUpByItself(connect(database.url, 10));
      fleet = await openFleet(database, twoCallsProject(server.url));
      const { id, name: shown, role } = await database.db.user.findFirstOrThrow({ where: { name: "Rea" } });
      by = { userId: id, role, groups: [], actor: { kind: "user", id, name: shown }, tokenId: null };
    });
    afterAll(async () => {
      await fleet?.close();
      await Promise.all(database.closing.map((close) => close()));
      await database.db?.$disconnect();
      await withServer((client) => client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
    });

    test("are as they were left, and the trail is intact", async () => {
      const states = await Promise.all(["finished", "waiting", "executing"].map((tag) => findRun(database.db, tag)));
      expect(states.map(({ status }) => status)).toEqual(["complete", "pending_approval", "running"]);
      expect(states[2]!.leaseOwner).toMatch(/^wrk_/);
      expect((await callOf(database.db, "executing", FREE_TOOL)).status).toBe("executing");
      expect(await database.db.anchor.count()).toBeGreaterThan(0);
      expect(await findings()).toEqual([]);
    });

    test("what waited is decided and completes, what was in progress asks a person, and what is over stays", async () => {
      const finished = await findRun(database.db, "finished");
      const before = await journalOf(finished.id);
      await fleet.startWorker();

      const waiting = await findRun(database.db, "waiting");
      await decideApproval(fleet.deps, by, { approvalId: waiting.approvals[0]!.id, verdict: "approved" });
      const ended = await seeToTheEnd(fleet.deps, server, by, waiting.id);
      expect(ended).toMatchObject({ status: "complete", output: { tag: "waiting", asked: "succeeded" } });
      expect(await countCalls(server, ASKED_TOOL, "waiting")).toBe(1);

      const unknown = await until(() => callOf(database.db, "executing", FREE_TOOL), {
        what: "the call that was under way is a person's to settle",
        isDone: ({ status }) => status === "outcome_unknown",
      });
      await settleCall(fleet.deps, by.actor, { callId: unknown.id, outcome: "happened", result: { tag: "executing" } });
      const { id } = await findRun(database.db, "executing");
      expect(await seeToTheEnd(fleet.deps, server, by, id)).toMatchObject({ status: "complete" });
      expect(await countCalls(server, FREE_TOOL, "executing")).toBe(0);
      expect(await countCalls(server, ASKED_TOOL, "executing")).toBe(1);

      expect(await journalOf(finished.id)).toEqual(before);
      expect(await findRun(database.db, "finished")).toEqual(finished);
      expect(await findings()).toEqual([]);
    });
  },
);
