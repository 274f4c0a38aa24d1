import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listRunApprovals } from "@/lib/approvals/queries/list-run-approvals";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { KimitsuError } from "@/lib/errors";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { type ClientBench, openClientBench } from "@/lib/testing/client-bench";
import { useDatabase } from "@/lib/testing/database";
import { eventTypes } from "@/lib/testing/engine-bench";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { until } from "@/lib/testing/until";

const database = useDatabase();
afterEach(releaseAll);

/** Declares nothing, so that it asks unless the allowlist names it. */
const WRITE = "t-none";
const READ = "t-ro1-de0-id1-ow0";
const ALLOWED = `- ${WRITE}\n- ${READ}\n- echo`;
const ASKED = `- name: ${WRITE}\n  require_approval: { timeout: 1h }\n- ${READ}`;

const forever = () => new AbortController().signal;
const sent = async ({ recorder }: ClientBench, tool = WRITE) =>
  (await recorder.calls()).filter((call) => call.tool === tool);
const journalRows = (runId: string) =>
  database.db.$queryRaw<{ seq: number }[]>`SELECT seq FROM journal WHERE run_id = ${runId} ORDER BY seq`;

describe(verifies("proxy:allowed", "a call that the policy allows"), () => {
  test("is on record as being sent in one commit before it leaves, and ends in a second one", async () => {
    const bench = await openClientBench(database, { allowlist: ALLOWED });
    const caller = await bench.caller();
    const hold = holdAt("dispatch-call:before-call");
    const answer = bench.calls.call(
      caller,
      { server: bench.serverName, tool: WRITE, arguments: { n: 1 } },
      { signal: forever() },
    );
    await hold.reached();
    const run = await database.db.run.findFirstOrThrow({ where: { sessionId: caller.sessionId } });
    expect(run).toMatchObject({ workflow: "mcp:coding", status: "running", startedById: caller.token.id });
    expect(await journalRows(run.id)).toHaveLength(1);
    expect(await eventTypes(database, run.id)).toEqual([
      "run.created",
      "run.started",
      "step.started",
      "call.allowed",
      "call.executing",
    ]);
    expect(await sent(bench)).toHaveLength(0);
    hold.release();
    expect(await answer).toMatchObject({ kind: "ended", outcome: "succeeded", result: { is_error: false } });
    await until(() => journalRows(run.id), { what: "the end is on record", isDone: (rows) => rows.length === 2 });
    expect(await database.db.run.findUniqueOrThrow({ where: { id: run.id } })).toMatchObject({ status: "complete" });
    expect(await sent(bench)).toHaveLength(1);
  });

  test("of a worker that dies while it is sent waits for a person, unless it is harmless to repeat", async () => {
    const bench = await openClientBench(database, { allowlist: ALLOWED });
    const caller = await bench.caller();
    const hold = holdAt("dispatch-call:after-call");
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 2 } };
    const leaving = new AbortController();
    const answer = bench.calls.call(caller, request, { signal: leaving.signal });
    await hold.reached();
    const { id } = await database.db.run.findFirstOrThrow({ where: { sessionId: caller.sessionId } });
    // As another process finds it after the lease of this one has run out.
    await database.db.run.update({ where: { id }, data: { leaseUntil: new Date(0), leaseOwner: "wrk_dead" } });
    await bench.advance(id);
    leaving.abort();
    expect(await answer).toMatchObject({ kind: "outcome_unknown" });
    hold.release();
    expect(await sent(bench)).toHaveLength(1);
  });

  test("of which nobody knows what became of it is answered as such, and not made again", async () => {
    const bench = await openClientBench(database, { allowlist: "- drop-after" });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: "drop-after", arguments: { n: 1 } };
    const state = await bench.calls.call(caller, request, { signal: forever() });
    expect(state).toMatchObject({ kind: "outcome_unknown" });
    expect(await bench.calls.call(caller, request, { signal: forever() })).toMatchObject({ callId: state.callId });
    expect(await sent(bench, "drop-after")).toHaveLength(1);
  });
});

describe(verifies("proxy:asked", "a call that people are asked about"), () => {
  test("is parked in its first commit, and runs once when it is approved", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const state = await bench.calls.call(caller, request, { signal: forever() });
    expect(state).toMatchObject({ kind: "pending_approval", expiresAt: expect.any(String) });
    expect(await journalRows(state.runId)).toHaveLength(1);
    expect(await database.db.run.findUniqueOrThrow({ where: { id: state.runId } })).toMatchObject({
      status: "pending_approval",
      leaseOwner: null,
      wakeAt: null,
    });
    const ended = bench.calls.wait(caller.token.id, state.callId, { signal: forever() });
    await bench.decide(state.runId, "approved");
    expect(await ended).toMatchObject({ kind: "ended", outcome: "succeeded" });
    expect(await sent(bench)).toHaveLength(1);
    const { findings } = await verifyAudit(bench.deps);
    expect(findings).toEqual([]);
  });

  test("never reaches the tool when it is rejected, and the client gets the reason", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const state = await bench.calls.call(caller, request, { signal: forever() });
    await bench.decide(state.runId, "rejected", { reason: "Wrong customer" });
    expect(await bench.calls.wait(caller.token.id, state.callId, { signal: forever() })).toMatchObject({
      kind: "ended",
      outcome: "rejected",
      error: { code: "rejected", message: "Wrong customer" },
    });
    expect(await sent(bench)).toHaveLength(0);
  });

  test("runs with what a reviewer made of it, and says so", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const state = await bench.calls.call(caller, request, { signal: forever() });
    await bench.decide(state.runId, "approved", { arguments: { n: 7 } });
    expect(await bench.calls.wait(caller.token.id, state.callId, { signal: forever() })).toMatchObject({
      outcome: "succeeded",
      editedArguments: { n: 7 },
    });
    expect((await sent(bench)).map((call) => call.arguments)).toEqual([{ n: 7 }]);
    const { runId } = state;
    const { items } = await listRunApprovals(database.db, { runId, fingerprint: bench.deps.fingerprint });
    expect(items[0]?.changes).toEqual([{ path: "n", proposed: "1", effective: "7" }]);
  });

  test("that its client cancels is withdrawn", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const state = await bench.calls.call(caller, request, { signal: forever() });
    expect(await bench.calls.cancel(caller, state.callId, "not needed any more")).toMatchObject({
      outcome: "cancelled",
    });
    await expect(bench.decide(state.runId, "approved")).rejects.toThrow(/waits for nobody/);
    expect(await sent(bench)).toHaveLength(0);
  });
});

describe(verifies("proxy:same-call", "the same call made again"), () => {
  test("fifty at once on two processes are one question and one execution", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const processes = [bench.calls, await bench.elsewhere()];
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, place) => processes[place % 2]!.call(caller, request, { signal: forever() })),
    );
    expect(new Set(states.map(({ callId }) => callId)).size).toBe(1);
    const [state] = states;
    await bench.decide(state!.runId, "approved");
    const ends = await Promise.all(
      states.map(({ callId }) => bench.calls.wait(caller.token.id, callId, { signal: forever() })),
    );
    expect(new Set(ends.map((end) => end?.kind === "ended" && end.outcome))).toEqual(new Set(["succeeded"]));
    expect(await sent(bench)).toHaveLength(1);
    expect(await database.db.approval.count({ where: { runId: state!.runId } })).toBe(1);
  });

  test("gets the outcome that was not delivered, and is a new call once it was", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const first = await bench.calls.call(caller, request, { signal: forever() });
    await bench.decide(first.runId, "approved");
    await bench.calls.wait(caller.token.id, first.callId, { signal: forever() });
    const again = await bench.calls.call(caller, request, { signal: forever() });
    expect(again).toMatchObject({ callId: first.callId, kind: "ended", outcome: "succeeded" });
    bench.calls.markDelivered(first.callId);
    await bench.calls.flush();
    const next = await bench.calls.call(caller, request, { signal: forever() });
    expect(next).toMatchObject({ kind: "pending_approval" });
    expect(next.callId).not.toBe(first.callId);
    expect(await sent(bench)).toHaveLength(1);
  });

  test("is answered by a delivered rejection in its own session, and asked again in another", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const first = await bench.calls.call(caller, request, { signal: forever() });
    await bench.decide(first.runId, "rejected", { reason: "No" });
    await bench.calls.wait(caller.token.id, first.callId, { signal: forever() });
    await until(() => database.db.run.findUniqueOrThrow({ where: { id: first.runId } }), {
      what: "the run has ended",
      isDone: ({ status }) => status === "failed",
    });
    bench.calls.markDelivered(first.callId);
    await bench.calls.flush();
    expect(await bench.calls.call(caller, request, { signal: forever() })).toMatchObject({
      callId: first.callId,
      outcome: "rejected",
    });
    const elsewhere = await bench.sessionOf(caller);
    expect(await bench.calls.call(elsewhere, request, { signal: forever() })).toMatchObject({
      kind: "pending_approval",
    });
  });

  test("is made again when it only reads and has ended", async () => {
    const bench = await openClientBench(database, { allowlist: ALLOWED });
    const caller = await bench.caller();
    const request = { server: bench.serverName, tool: READ, arguments: {} };
    const first = await bench.calls.call(caller, request, { signal: forever() });
    const second = await bench.calls.call(caller, request, { signal: forever() });
    expect(second).toMatchObject({ outcome: "succeeded" });
    expect(second.callId).not.toBe(first.callId);
    expect(await sent(bench, READ)).toHaveLength(2);
  });

  test("of another token is another call", async () => {
    const bench = await openClientBench(database, { allowlist: ASKED });
    const [ana, ben] = [await bench.caller(), await bench.caller()];
    const request = { server: bench.serverName, tool: WRITE, arguments: { n: 1 } };
    const hers = await bench.calls.call(ana, request, { signal: forever() });
    const his = await bench.calls.call(ben, request, { signal: forever() });
    expect(his.callId).not.toBe(hers.callId);
    expect(await bench.calls.find(ben.token.id, hers.callId)).toBeNull();
    expect(await bench.calls.wait(ben.token.id, hers.callId, { signal: forever() })).toBeNull();
    expect(await bench.calls.cancel(ben, hers.callId, "mine now")).toBeNull();
  });
});

describe(verifies("proxy:refused", "a call that may not be made"), () => {
  test("is on record as denied with its reason, and reaches nobody", async () => {
    const bench = await openClientBench(database, { allowlist: `- ${READ}` });
    const caller = await bench.caller();
    const state = await bench.calls.call(
      caller,
      { server: bench.serverName, tool: WRITE, arguments: {} },
      { signal: forever() },
    );
    expect(state).toMatchObject({ kind: "ended", outcome: "denied", error: { code: "tool_not_permitted" } });
    expect(await database.db.run.findUniqueOrThrow({ where: { id: state.runId } })).toMatchObject({
      status: "failed",
      error: { code: "tool_not_permitted" },
    });
    expect(await bench.recorder.calls()).toEqual([]);
  });

  test("because its session has used its budget says how much", async () => {
    const bench = await openClientBench(database, {
      allowlist: ALLOWED,
      server: `tools: { ${WRITE}: { cost_usd: 0.4 } }\n`,
      profile: "session_budget_usd: 1\n",
    });
    const caller = await bench.caller();
    const call = (n: number) =>
      bench.calls.call(caller, { server: bench.serverName, tool: WRITE, arguments: { n } }, { signal: forever() });
    expect(await call(1)).toMatchObject({ outcome: "succeeded" });
    expect(await call(2)).toMatchObject({ outcome: "succeeded" });
    expect(await call(3)).toMatchObject({
      outcome: "denied",
      error: { code: "budget_exceeded", message: /\$0\.80 spent/ },
    });
    expect(await sent(bench)).toHaveLength(2);
  });

  test("while all calls are paused waits, and is sent when they go on", async () => {
    const bench = await openClientBench(database, { allowlist: ALLOWED });
    const caller = await bench.caller();
    const { actor } = await bench.person();
    await pauseDispatch(bench.deps, actor, true);
    const leaving = new AbortController();
    const answer = bench.calls.call(
      caller,
      { server: bench.serverName, tool: WRITE, arguments: {} },
      { signal: leaving.signal },
    );
    const run = await until(() => database.db.run.findFirst({ where: { sessionId: caller.sessionId } }), {
      what: "the run is on record",
      isDone: (found) => found !== null,
    });
    expect(await sent(bench)).toHaveLength(0);
    leaving.abort();
    expect(await answer).toMatchObject({ kind: "running" });
    await pauseDispatch(bench.deps, actor, false);
    bench.clock.advance(5_000);
    const [call] = await until(() => sent(bench), { what: "it is sent", isDone: (calls) => calls.length === 1 });
    expect(call).toMatchObject({ tool: WRITE });
    expect(run).toMatchObject({ status: "running" });
  });

  test("for a profile that is gone is an error", async () => {
    const bench = await openClientBench(database, { allowlist: ALLOWED });
    const caller = { ...(await bench.caller()), profile: "gone" };
    await expect(
      bench.calls.call(caller, { server: bench.serverName, tool: WRITE, arguments: {} }, { signal: forever() }),
    ).rejects.toThrow(KimitsuError);
  });
});
