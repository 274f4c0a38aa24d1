/**
 * Kills where people act and where workers watch each other: a start, a decision or a settlement is on record whole or
 * not at all, and a worker that is killed while it rescues or renews leaves the run to the next.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import { verifyAudit } from "@/lib/audit/verify-audit";
import type { PausePoint } from "@/lib/pause";
import { useDatabase } from "@/lib/testing/database";
import type { Hold } from "@/lib/testing/pause-registry";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import {
  ASKED_TOOL,
  countCalls,
  FREE_TOOL,
  seeToTheEnd,
  startTwoCalls,
  twoCallsProject,
} from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet, type WebProcess } from "@/lib/testing/worker-process";

const MOMENTS = ["before", "after"] as const;
const database = useDatabase();
let server: RecordingServer;
let fleet: Fleet;
let rea: DecidedBy;
/** Rea decides; Sam starts, because whoever starts a run cannot approve its calls. */
let token: { rea: string; sam: string };
/** The first is killed next; the other serves the requests after that. */
let webs: WebProcess[];

beforeAll(async () => {
  server = await startRecordingServer({});
  fleet = await openFleet(database, twoCallsProject(server.url));
  rea = await fleet.person("Rea");
  token = { rea: await fleet.tokenOf(rea), sam: await fleet.tokenOf(await fleet.person("Sam")) };
  const [web, other] = await Promise.all([
    fleet.startWeb(),
    fleet.startWeb(),
    fleet.startWorker(),
    fleet.startWorker(),
  ]);
  webs = [web, other];
});
afterAll(async () => {
  await fleet?.close();
  await server?.close();
});

/** A test that failed must not block the others. */
const holds: Hold[] = [];
afterEach(() => holds.splice(0).forEach((hold) => hold.release()));
function holdAt(...wanted: Parameters<Fleet["pauses"]["holdAt"]>): Hold {
  const hold = fleet.pauses.holdAt(...wanted);
  holds.push(hold);
  return hold;
}

/**
 * Sends a request to the first web process, kills it while it is held at the point, and returns the point's subject.
 * The client gets no answer.
 */
async function killWebAt(point: PausePoint, ...asking: Parameters<WebProcess["post"]>): Promise<string> {
  const [web] = webs.splice(0, 1) as [WebProcess];
  const subject = await killAt(web, point, ...asking);
  webs.push(await fleet.startWeb());
  return subject;
}

async function killAt(web: WebProcess, point: PausePoint, ...asking: Parameters<WebProcess["post"]>): Promise<string> {
  const hold = holdAt(point, { pid: web.pid });
  const asked = web.post(...asking).then(
    ({ status }) => status,
    () => "no answer",
  );
  const standing = await hold.reached();
  standing.kill();
  expect(await asked).toBe("no answer");
  hold.release();
  return standing.subject ?? "";
}

/** Kills the worker that reaches the point for this subject, and starts another. */
async function killWorkerAt(point: PausePoint, options: { subject?: string; pid?: number } = {}): Promise<string> {
  const hold = holdAt(point, options);
  const standing = await hold.reached();
  standing.kill();
  hold.release();
  await fleet.startWorker();
  return standing.subject ?? "";
}

const events = (runId: string, type: string) => database.db.event.count({ where: { chainId: runId, type } });
const readRun = (runId: string) =>
  database.db.run.findUniqueOrThrow({
    where: { id: runId },
    include: { steps: true, calls: true, approvals: true, search: true },
  });

async function untilAsked(runId: string): Promise<{ id: string; callId: string }> {
  const run = await until(() => readRun(runId), {
    what: `run ${runId} waits for a person`,
    isDone: ({ status, approvals }) => status === "pending_approval" && approvals.length > 0,
  });
  return run.approvals[0]!;
}

async function expectWhole(runId: string, tag: string): Promise<void> {
  const { status, output } = await seeToTheEnd(fleet.deps, server, rea, runId);
  expect({ status, output }).toEqual({ status: "complete", output: { tag, free: "succeeded", asked: "succeeded" } });
  for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, tag), tool).toBe(1);
  expect(await database.db.turn.count({ where: { runId } })).toBe(2);
}

describe(verifies("promise:5", "a web process is killed with SIGKILL in start-run"), () => {
  const byTag = (tag: string) => database.db.run.findMany({ where: { params: { path: ["tag"], equals: tag } } });

  test("before the commit: nothing of the run exists", async () => {
    const runId = await killWebAt("start-run:before-commit", "/runs", token.sam, {
      workflow: "main",
      params: { tag: "not-started" },
    });
    expect(await byTag("not-started")).toEqual([]);
    expect(await database.db.step.count({ where: { runId } })).toBe(0);
    expect(await database.db.runSearch.count({ where: { runId } })).toBe(0);
    expect(await database.db.event.count({ where: { chainId: runId } })).toBe(0);
  });

  test("after the commit: the run is complete on record, and runs to its end although no notification was sent", async () => {
    const claims = holdAt("claim-run:before-commit");
    const runId = await killWebAt("start-run:after-commit", "/runs", token.sam, {
      workflow: "main",
      params: { tag: "started" },
    });
    const run = await readRun(runId);
    expect(run).toMatchObject({ status: "pending", wakeAt: expect.any(Date), search: { runId } });
    expect(run.steps.map(({ key }) => key).toSorted()).toEqual(["tidy", "work"]);
    expect(await events(runId, "run.created")).toBe(1);
    claims.release();
    await expectWhole(runId, "started");
  });

  test.each(MOMENTS)("%s the commit, with a key: repeated elsewhere there is one run", async (moment) => {
    const tag = `key-${moment}`;
    const body = { workflow: "main", params: { tag } };
    const headers = { "idempotency-key": tag };
    await killWebAt(`start-run:${moment}-commit`, "/runs", token.sam, body, headers);
    const answers = [
      await webs[0]!.post("/runs", token.sam, body, headers),
      await webs[1]!.post("/runs", token.sam, body, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const runs = await byTag(tag);
    expect(runs.map(({ id }) => id)).toEqual([answers[0]!.body.run_id]);
    expect(answers[1]!.body).toEqual(answers[0]!.body);
    expect(await events(runs[0]!.id, "run.created")).toBe(1);
    await expectWhole(runs[0]!.id, tag);
  });
});

describe(
  verifies("promise:3", verifies("promise:5", "a web process is killed with SIGKILL in decide-approval")),
  () => {
    test("before the commit: nothing was decided, and the same decision elsewhere holds", async () => {
      const { runId } = await startTwoCalls(fleet.deps, "not-decided");
      const approval = await untilAsked(runId);
      const before = await readRun(runId);
      await killWebAt("decide-approval:before-commit", `/approvals/${approval.id}/decide`, token.rea, {
        decision: "approve",
      });
      expect(await readRun(runId)).toEqual(before);
      expect(await database.db.decision.count({ where: { approvalId: approval.id } })).toBe(0);
      expect(await events(runId, "approval.decided")).toBe(0);
      expect((await webs[0]!.post(`/approvals/${approval.id}/decide`, token.rea, { decision: "approve" })).status).toBe(
        200,
      );
      await expectWhole(runId, "not-decided");
    });

    test("after the commit: decision, call, event and wake-up are there, nobody decides again, and the run continues although no notification was sent", async () => {
      const { runId } = await startTwoCalls(fleet.deps, "decided");
      const approval = await untilAsked(runId);
      const { seq } = await readRun(runId);
      const claims = holdAt("claim-run:before-commit");
      await killWebAt("decide-approval:after-commit", `/approvals/${approval.id}/decide`, token.rea, {
        decision: "approve",
      });
      const run = await readRun(runId);
      expect(run).toMatchObject({
        seq: seq + 1,
        wakeAt: expect.any(Date),
        approvals: [{ status: "approved", approvals: 1 }],
      });
      expect(run.calls.find(({ id }) => id === approval.callId)?.status).toBe("approved");
      expect(await database.db.decision.count({ where: { approvalId: approval.id } })).toBe(1);
      expect(await events(runId, "approval.decided")).toBe(1);
      claims.release();
      const again = await webs[0]!.post(`/approvals/${approval.id}/decide`, token.rea, { decision: "reject" });
      expect(again).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining("was already approved by Rea at ") } },
      });
      await expectWhole(runId, "decided");
    });
  },
);

describe(
  verifies(
    "promise:3",
    verifies("promise:5", "a worker is killed with SIGKILL in rescue-run, and then a web process in settle-call"),
  ),
  () => {
    const CASES = [
      { moment: "before", killedAt: "dispatch-call:after-call", outcome: "happened", settledTo: "succeeded" },
      { moment: "after", killedAt: "dispatch-call:before-call", outcome: "did_not_happen", settledTo: "approved" },
    ] as const;

    test.each(CASES)(
      "$moment the commit: the call is unknown once, settled ($outcome) once, and sent once",
      async ({ moment, killedAt, outcome, settledTo }) => {
        const tag = `rescued-${moment}`;
        const sending = holdAt(killedAt);
        const { runId } = await startTwoCalls(fleet.deps, tag);
        const standing = await sending.reached();
        const callId = standing.subject ?? "";
        const rescue = killWorkerAt(`rescue-run:${moment}-commit`, { subject: callId });
        standing.kill();
        sending.release();
        await rescue;
        const unknown = await until(() => readRun(runId), {
          what: "the outcome is unknown and the run waits",
          isDone: (run) =>
            run.leaseOwner === null &&
            run.calls.some(({ id, status }) => id === callId && status === "outcome_unknown"),
        });
        expect(await events(runId, "call.outcome_unknown")).toBe(1);
        await fleet.startWorker();

        const claims = holdAt("claim-run:before-commit");
        const command = { outcome, ...(outcome === "happened" ? { result: { tag } } : {}) };
        await killWebAt(`settle-call:${moment}-commit`, `/calls/${callId}/settle`, token.rea, command);
        const call = (await readRun(runId)).calls.find(({ id }) => id === callId);
        const isRecorded = moment === "after";
        expect(call?.status).toBe(isRecorded ? settledTo : "outcome_unknown");
        expect(await events(runId, "call.settled")).toBe(isRecorded ? 1 : 0);
        expect((await readRun(runId)).seq).toBe(unknown.seq + (isRecorded ? 1 : 0));
        const again = await webs[0]!.post(`/calls/${callId}/settle`, token.rea, command);
        expect(again.status).toBe(isRecorded ? 409 : 200);
        expect(await events(runId, "call.settled")).toBe(1);
        claims.release();
        await expectWhole(runId, tag);
      },
    );
  },
);

describe(verifies("promise:3", verifies("promise:5", "a worker is killed with SIGKILL in renew-lease")), () => {
  test.each(MOMENTS)(
    "%s the commit: the lease is renewed or it is not, and the run completes on another",
    async (moment) => {
      const tag = `renewed-${moment}`;
      await server.hold(FREE_TOOL);
      const { runId } = await startTwoCalls(fleet.deps, tag);
      // The call is at the server, so its worker keeps the run, and renews its lease until there is an answer.
      await until(() => countCalls(server, FREE_TOOL, tag), {
        what: "the call at the server",
        isDone: (count) => count === 1,
      });
      const call = (await readRun(runId)).calls.find(({ tool }) => tool === FREE_TOOL);
      const { pid } = fleet.pauses
        .trace()
        .findLast(({ point, subject }) => point === "dispatch-call:before-call" && subject === call?.id)!;
      const before = holdAt("renew-lease:before-commit", { pid });
      const leaseUntil = async () => (await readRun(runId)).leaseUntil!.getTime();
      let standing = await before.reached();
      // Held from here on: a worker that was between the two when the test began would stop there and never reach the
      // first.
      const after = holdAt("renew-lease:after-commit", { pid });
      const leasedUntil = await leaseUntil();
      if (moment === "after") {
        standing.release();
        standing = await after.reached();
        expect(await leaseUntil()).toBeGreaterThan(leasedUntil);
      }
      standing.kill();
      for (const hold of [before, after]) hold.release();
      await fleet.startWorker();
      await server.release(FREE_TOOL);
      await expectWhole(runId, tag);
    },
  );
});

describe(
  verifies(
    "promise:5",
    verifies(
      "promise:3",
      "a process that serves and advances is killed with SIGKILL in the commit in which it also claims the run",
    ),
  ),
  () => {
    test("before the commit of a start: nothing of the run exists", async () => {
      const runId = await killAt(await fleet.startWeb({ runs: 4 }), "start-run:before-commit", "/runs", token.sam, {
        workflow: "main",
        params: { tag: "slot-before" },
      });
      expect(await database.db.run.count({ where: { id: runId } })).toBe(0);
      expect(await database.db.event.count({ where: { chainId: runId } })).toBe(0);
    });

    test("after the commit of a start: the run belongs to the dead process, and completes on another", async () => {
      const runId = await killAt(await fleet.startWeb({ runs: 4 }), "start-run:after-commit", "/runs", token.sam, {
        workflow: "main",
        params: { tag: "slot-after" },
      });
      expect(await events(runId, "run.started")).toBe(1);
      await expectWhole(runId, "slot-after");
      expect(await events(runId, "run.taken_over")).toBe(1);
    });

    test.each(MOMENTS)(
      "%s the commit of a decision: it was made with the claim or not at all, and the call is sent once",
      async (moment) => {
        const tag = `slot-decided-${moment}`;
        const { runId } = await startTwoCalls(fleet.deps, tag);
        const { id } = await untilAsked(runId);
        await until(() => readRun(runId), {
          what: "no worker has it",
          isDone: ({ leaseOwner }) => leaseOwner === null,
        });
        await killAt(
          await fleet.startWeb({ runs: 4 }),
          `decide-approval:${moment}-commit`,
          `/approvals/${id}/decide`,
          token.rea,
          { decision: "approve" },
        );
        expect(await database.db.decision.count({ where: { approvalId: id } })).toBe(moment === "before" ? 0 : 1);
        await expectWhole(runId, tag);
        expect(await events(runId, "approval.decided")).toBe(1);
      },
    );
  },
);

test("and the trail of all of it verifies", async () => {
  expect(await verifyAudit(fleet.deps)).toMatchObject({ ok: true });
});
