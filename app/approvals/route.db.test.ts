import { beforeAll, describe, expect, test } from "vitest";
import { POST as APPROVE } from "@/app/runs/[runId]/approve/route";
import { POST as CANCEL } from "@/app/runs/[runId]/cancel/route";
import { POST as REJECT } from "@/app/runs/[runId]/reject/route";
import { POST as RETRY } from "@/app/runs/[runId]/retry/route";
import { POST as DECIDE_STEP } from "@/app/runs/[runId]/steps/[step]/approval/decide/route";
import { GET as GET_STEP } from "@/app/runs/[runId]/steps/[step]/approval/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { findCard } from "@/lib/approvals/queries/find-card";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { POST as DECIDE } from "./[approvalId]/decide/route";
import { POST as EXTEND } from "./[approvalId]/extend/route";
import { GET as GET_ONE } from "./[approvalId]/route";
import { POST as SET_ASIDE } from "./[approvalId]/set-aside/route";
import { POST as TAKE_UP } from "./[approvalId]/take-up/route";
import { GET } from "./route";

const database = useDatabase();
const TWO =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { text: one } }, { tool: t-none, arguments: { text: two } }]\n      - output: { done: true }\n";

let bench: Awaited<ReturnType<typeof openApiBench>>;
let operator: Awaited<ReturnType<typeof bench.login>>;
let rea: typeof operator;
let rob: typeof operator;
beforeAll(async () => {
  bench = await openApiBench(database);
  operator = await bench.login("operator", { name: "Ana" });
  rea = await bench.login("reviewer", { name: "Rea" });
  rob = await bench.login("reviewer", { name: "Rob" });
});

async function waiting(own = bench) {
  Object.assign(globalThis, { __kimitsuRuntime: own.deps });
  const runId = (await ask(START, "/runs", { method: "POST", token: operator.token, body: { workflow: "main" } })).body
    .run_id as string;
  await own.advance(runId);
  const [approval] = await own.pendingOf(runId);
  return { runId, approval: approval! };
}
const onRun = (handler: typeof APPROVE, runId: string, body: unknown, token = rea.token) =>
  ask(handler, `/runs/${runId}/x`, { method: "POST", token, body }, { runId });
const onApproval = (handler: typeof DECIDE, approvalId: string, body: unknown, token = rea.token) =>
  ask(handler, `/approvals/${approvalId}/x`, { method: "POST", token, body }, { approvalId });
const sentBy = async (runId: string) =>
  (await database.db.call.findMany({ where: { runId, tool: "t-none", executingAt: { not: null } } })).length;

describe("deciding on a run", () => {
  test("approve without naming the call: it is sent once, with person and token on record", async () => {
    const { runId, approval } = await waiting();
    const { status, body } = await onRun(APPROVE, runId, { digest: approval.digest, comment: "fine" });
    expect([status, body]).toEqual([
      200,
      {
        approval_id: approval.id,
        call_id: approval.callId,
        run_id: runId,
        status: "approved",
        approvals: 1,
        min_approvals: 1,
        digest: approval.digest,
      },
    ]);
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    expect(await sentBy(runId)).toBe(1);
    expect(await database.db.decision.findFirstOrThrow({ where: { approvalId: approval.id } })).toMatchObject({
      userId: rea.user.id,
      tokenId: rea.id,
      verdict: "approved",
      comment: "fine",
      address: "192.0.2.1",
    });
  });

  test(
    verifies(
      "promise:7",
      "nobody who started the run, or one that it is a retry of, decides its calls or is listed as somebody who could",
    ),
    async () => {
      const others = [await bench.login("operator", { name: "Olu" }), await bench.login("admin", { name: "Oda" })];
      let { runId } = await waiting();
      for (const { token } of others) {
        expect((await onRun(CANCEL, runId, {}, token)).status).toBe(200);
        runId = (await onRun(RETRY, runId, {}, token)).body.run_id;
        await bench.advance(runId);
      }
      const [approval] = await bench.pendingOf(runId);
      for (const { token, user } of [operator, ...others]) {
        const { status, body } = await onRun(APPROVE, runId, { digest: approval!.digest }, token);
        expect([status, body.error.message]).toEqual([
          403,
          expect.stringContaining("Whoever started a run cannot decide its calls"),
        ]);
        expect((await onApproval(DECIDE, approval!.id, { decision: "approve" }, token)).status).toBe(403);
        const reader = { userId: user.id, role: "admin" as const, groups: [] };
        expect(
          (await listInbox(database.db, reader, { sort: "age", mine: true })).items.map(({ id }) => id),
        ).not.toContain(approval!.id);
        const card = await findCard(database.db, approval!.id, { reader, now: new Date() });
        expect([card!.refusal, card!.deciders.names]).toEqual([
          expect.stringContaining("Whoever started a run"),
          expect.not.arrayContaining([user.name]),
        ]);
      }
      expect(await sentBy(runId)).toBe(0);
      expect((await onRun(APPROVE, runId, { digest: approval!.digest }, rob.token)).status).toBe(200);
    },
  );

  test("reject: it never reaches the server, and the agent continues", async () => {
    const { runId } = await waiting();
    expect((await onRun(REJECT, runId, { reason: "Wrong" })).body.status).toBe("rejected");
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    expect(await sentBy(runId)).toBe(0);
  });

  test("409 for what was decided, with who, what and when, by every endpoint", async () => {
    const { runId, approval } = await waiting();
    await onRun(REJECT, runId, {});
    const late = [
      await onRun(APPROVE, runId, {}, rob.token),
      await onRun(APPROVE, runId, { call_id: approval.callId }, rob.token),
      await onApproval(DECIDE, approval.id, { decision: "approve" }, rob.token),
      await ask(
        DECIDE_STEP,
        "/x",
        { method: "POST", token: rob.token, body: { decision: "approved" } },
        { runId, step: "work" },
      ),
    ];
    for (const { status, body } of late) {
      expect([status, body.error.message]).toEqual([
        409,
        expect.stringMatching(/was already rejected by Rea at 2026-.*nothing was changed/),
      ]);
      expect(body.error.issues).toEqual([
        { path: approval.id, message: expect.stringMatching(/^rejected by Rea at 2026-/) },
      ]);
    }
    expect(await database.db.decision.count({ where: { approvalId: approval.id } })).toBe(1);
  });

  test("of many who decide at the same instant one wins", async () => {
    const { runId } = await waiting();
    const answers = await Promise.all(
      [rea, rob, rea, rob, rea, rob].map(({ token }, index) =>
        onRun(index % 2 === 0 ? APPROVE : REJECT, runId, {}, token),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test("arguments that are not the ones that were seen are a conflict", async () => {
    const { runId, approval } = await waiting();
    const { status, body } = await onRun(APPROVE, runId, { digest: `sha256:${"0".repeat(64)}` });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining("are not the ones you saw")]);
    expect((await bench.pendingOf(runId)).map(({ id }) => id)).toEqual([approval.id]);
  });

  test("edited arguments are what is sent; a rejection cannot edit", async () => {
    const { runId } = await waiting();
    expect((await onRun(REJECT, runId, { arguments: { text: "x" } })).status).toBe(422);
    expect((await onRun(APPROVE, runId, { arguments: { text: "edited" } })).status).toBe(200);
    await bench.advance(runId);
    const calls = await bench.server.calls("t-none");
    expect(JSON.stringify(calls.at(-1))).toContain("edited");
  });

  test("several waiting calls: 409 with the list, then each by its id, in any order", async () => {
    const two = await openApiBench(database, { script: TWO });
    const { runId } = await waiting(two);
    const pending = await two.pendingOf(runId);
    const { status, body } = await onRun(APPROVE, runId, {});
    expect(status).toBe(409);
    expect(body.error.issues.map((issue: { path: string }) => issue.path).toSorted()).toEqual(
      pending.map(({ callId }) => callId).toSorted(),
    );
    expect((await onRun(REJECT, runId, { call_id: pending[1]!.callId })).status).toBe(200);
    expect((await onRun(APPROVE, runId, {})).body.call_id).toBe(pending[0]!.callId);
    await two.advance(runId);
    expect((await two.server.calls("t-none")).length).toBe(1);
  });

  test("404 for a run or a call that does not exist, or of another run", async () => {
    const one = await waiting();
    const other = await waiting();
    expect((await onRun(APPROVE, "run_none", {})).status).toBe(404);
    expect((await onRun(APPROVE, one.runId, { call_id: "call_none" })).status).toBe(404);
    expect((await onRun(APPROVE, one.runId, { call_id: other.approval.callId })).status).toBe(404);
  });

  test("403 for the person who started it, for viewers, and for tokens without the scope; identity never comes from the body", async () => {
    const { runId } = await waiting();
    const own = await onRun(APPROVE, runId, {}, operator.token);
    expect([own.status, own.body.error.message]).toEqual([
      403,
      expect.stringContaining("Whoever started a run cannot decide its calls"),
    ]);
    expect((await onRun(APPROVE, runId, {}, (await bench.login("viewer")).token)).status).toBe(403);
    expect(
      (
        await onRun(
          APPROVE,
          runId,
          {},
          (await bench.login("admin", { scopes: ["runs:write", "approvals:read", "admin"] })).token,
        )
      ).status,
    ).toBe(403);
    expect((await onRun(APPROVE, runId, { user_id: rea.user.id }, operator.token)).status).toBe(422);
    expect((await bench.pendingOf(runId)).length).toBe(1);
  });

  test("409 for a run that waits for nobody", async () => {
    const quiet = await ask(START, "/runs", { method: "POST", token: operator.token, body: { workflow: "main" } });
    expect((await onRun(APPROVE, quiet.body.run_id, {})).body.error.message).toContain(
      "waits for a decision; nothing was decided",
    );
  });
});

describe("the inbox by API", () => {
  test("lists by status in pages, and shows one with its decisions", async () => {
    const { runId, approval } = await waiting();
    const others = [await waiting(), await waiting(), await waiting()];
    const listed = (await ask(GET, `/approvals?status=pending&run=${runId}`, { token: rea.token })).body;
    expect(listed.items).toEqual([
      expect.objectContaining({
        approval_id: approval.id,
        status: "pending",
        run_id: runId,
        started_by: "operator's",
        agent_says: "I look and I act.",
        reject_reasons: ["Wrong"],
        decisions: [],
      }),
    ]);
    await onApproval(DECIDE, approval.id, { decision: "reject", reason: "Wrong", comment: "no" });
    const one = (await ask(GET_ONE, "/x", { token: rea.token }, { approvalId: approval.id })).body;
    expect(one).toMatchObject({
      status: "rejected",
      decisions: [
        {
          user: { id: rea.user.id, name: "Rea" },
          token: { id: rea.id },
          verdict: "rejected",
          reason: "Wrong",
          comment: "no",
        },
      ],
    });
    const all = (await ask(GET, "/approvals?limit=200", { token: rea.token })).body.items;
    const first = (await ask(GET, "/approvals?limit=2", { token: rea.token })).body;
    const second = (await ask(GET, `/approvals?limit=2&cursor=${first.next_cursor}`, { token: rea.token })).body;
    expect([...first.items, ...second.items]).toEqual(all.slice(0, 4));
    const listedIds = all.slice(0, 4).map((item: { approval_id: string }) => item.approval_id);
    expect(listedIds.toSorted(), "the newest, of which three came after it").toEqual(
      [approval.id, ...others.map((other) => other.approval.id)].toSorted(),
    );
  });

  test("404 and 422", async () => {
    expect((await ask(GET_ONE, "/x", { token: rea.token }, { approvalId: "apr_none" })).status).toBe(404);
    expect((await onApproval(DECIDE, "apr_none", { decision: "approve" })).status).toBe(404);
    expect((await onApproval(DECIDE, "apr_none", { decision: "maybe" })).status).toBe(422);
    expect((await ask(GET, "/approvals?status=open", { token: rea.token })).status).toBe(422);
  });

  test("the older form reads and decides by step", async () => {
    const { runId, approval } = await waiting();
    const params = { runId, step: "work" };
    expect((await ask(GET_STEP, "/x", { token: rea.token }, params)).body).toMatchObject({
      approval_id: approval.id,
      status: "pending",
    });
    expect(
      (await ask(DECIDE_STEP, "/x", { method: "POST", token: rea.token, body: { decision: "approved" } }, params)).body
        .status,
    ).toBe("approved");
    expect((await ask(GET_STEP, "/x", { token: rea.token }, params)).body).toMatchObject({
      status: "approved",
      decisions: [{ user: { name: "Rea" } }],
    });
    expect((await ask(GET_STEP, "/x", { token: rea.token }, { runId, step: "other" })).status).toBe(404);
  });
});

describe("more time", () => {
  test("is added to what is left, and refused when it is decided", async () => {
    const { approval } = await waiting();
    const { status, body } = await onApproval(EXTEND, approval.id, { minutes: 15 });
    expect([status, body]).toEqual([
      200,
      { approval_id: approval.id, expires_at: new Date(approval.expiresAt!.getTime() + 15 * 60_000).toISOString() },
    ]);
    await onApproval(DECIDE, approval.id, { decision: "approve" });
    expect((await onApproval(EXTEND, approval.id, {})).status).toBe(409);
    expect((await onApproval(EXTEND, "apr_none", {})).status).toBe(404);
  });
});

describe("not now", () => {
  test(
    verifies("inbox:aside", "by API: until a time, or until a change; ended once, and refused when it is decided"),
    async () => {
      const { runId, approval } = await waiting();
      const { status, body } = await onApproval(SET_ASIDE, approval.id, { minutes: 5, note: "waits for finance" });
      expect([status, body.approval_id]).toEqual([200, approval.id]);
      expect(body.until).toBe(new Date(bench.clock.now().getTime() + 5 * 60_000).toISOString());
      expect(
        (await onApproval(SET_ASIDE, approval.id, { minutes: null }, rob.token)).body.until,
        "in good time before it expires",
      ).toBe(new Date(approval.expiresAt!.getTime() - 15 * 60_000).toISOString());
      expect(
        await database.db.setAside.findMany({
          where: { approvalId: approval.id },
          select: { userId: true, note: true },
          orderBy: { createdAt: "asc" },
        }),
      ).toEqual([
        { userId: rea.user.id, note: "waits for finance" },
        { userId: rob.user.id, note: null },
      ]);
      const aside = async () =>
        (await ask(GET, `/approvals?run=${runId}`, { token: operator.token })).body.items[0].set_asides;
      // Until something changes; by the clock of these tests the other one's time has passed.
      await database.db.setAside.updateMany({
        where: { approvalId: approval.id, userId: rob.user.id },
        data: { until: null },
      });
      const at = bench.clock.now().toISOString();
      const ofRea = {
        user: { id: rea.user.id, name: "Rea" },
        note: "waits for finance",
        until: body.until,
        holds: false,
        at,
      };
      const ofRob = { user: { id: rob.user.id, name: "Rob" }, note: null, until: null, holds: true, at };
      expect(await aside(), "who, why and until when, for everyone who may read").toEqual([ofRea, ofRob]);
      expect(
        (await ask(GET_ONE, "/x", { token: operator.token }, { approvalId: approval.id })).body.set_asides,
      ).toEqual([ofRea, ofRob]);
      expect((await onApproval(TAKE_UP, approval.id, {})).status).toBe(200);
      expect((await onApproval(TAKE_UP, approval.id, {})).status).toBe(409);
      expect(
        await database.db.event.count({
          where: { chainId: runId, type: { in: ["approval.set_aside", "approval.taken_up"] } },
        }),
      ).toBe(3);
      await onApproval(DECIDE, approval.id, { decision: "approve" });
      expect(await aside(), "what is decided lies aside no more").toMatchObject([
        { user: ofRea.user, holds: false },
        { user: ofRob.user, holds: false },
      ]);
      expect((await onApproval(SET_ASIDE, approval.id, {})).body.error.message).toContain(
        "is approved; nothing was changed",
      );
    },
  );

  test("403 for people who could not decide it, 404 for none, 422 for invalid times", async () => {
    const { approval } = await waiting();
    expect((await onApproval(SET_ASIDE, approval.id, {}, operator.token)).status).toBe(403);
    expect((await onApproval(SET_ASIDE, "apr_none", {})).status).toBe(404);
    expect((await onApproval(TAKE_UP, "apr_none", {})).status).toBe(404);
    for (const body of [{ minutes: 0 }, { minutes: 1.5 }, { until: "tomorrow" }, { note: "x".repeat(2001) }])
      expect((await onApproval(SET_ASIDE, approval.id, body)).status).toBe(422);
  });
});
