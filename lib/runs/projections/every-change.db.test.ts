import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditKeys } from "@/lib/database/audit-keys";
import { connect, type Db } from "@/lib/database/client";
import { createId } from "@/lib/ids";
import type { RunChange } from "@/lib/runs/changes/registry";
import { cancelRun } from "@/lib/runs/changes/run-cancelled";
import { endRun } from "@/lib/runs/changes/run-ended";
import { changeRun } from "@/lib/runs/journal/change-run";
import { type Entry, eventsOfBody } from "@/lib/runs/journal/entry";
import { foldOn, foldRun } from "@/lib/runs/journal/fold";
import { keepSnapshot, type KeptSnapshot, openSnapshot } from "@/lib/runs/journal/kept-snapshot";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { projectChain } from "@/lib/testing/project-all";
import { rebuildProjections } from "@/lib/runs/projections/rebuild-projections";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { aCall, aDecision, aQuestion, aRun, aStep, aTurn, digestOf, turnRecordedAt } from "@/lib/testing/changes";
import { useDatabase } from "@/lib/testing/database";
import { keepTestVersion } from "@/lib/testing/write-runs";

const database = useDatabase();
/** A client that does not bring the projections up to date by itself. */
let db: Db;
const userId = createId("user");
const seen = new Set<RunChange["kind"]>();
let seconds = 0;
const nextAt = () => new Date(Date.UTC(2026, 0, 1, 10, 0, (seconds += 1))).toISOString();

beforeAll(async () => {
  db = connect(database.url, 4);
  await keepTestVersion(db);
  await db.user.create({ data: { id: userId, email: "r@example.org", name: "R", role: "reviewer" } });
});
afterAll(() => db.$disconnect());

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each)));

/** The content of the tables, in the form of the fold. */
async function readRows(runId: string) {
  const where = { where: { runId }, orderBy: { id: "asc" } } as const;
  const amount = <Row extends { costUsd: unknown }>({ costUsd, ...row }: Row) => ({ ...row, costUsd: Number(costUsd) });
  const decisions = await db.decision.findMany({ where: { approval: { runId } }, orderBy: { id: "asc" } });
  const events = await db.event.findMany({ where: { chainId: runId }, orderBy: [{ seq: "asc" }, { place: "asc" }] });
  return plain({
    steps: (await db.step.findMany(where)).map(amount),
    turns: (await db.turn.findMany(where)).map(amount),
    calls: (await db.call.findMany(where)).map(amount),
    decisions,
    events,
  });
}

const byId = <Row extends { id: string }>(rows: Iterable<Row>) =>
  [...rows].toSorted((left, right) => (left.id < right.id ? -1 : 1));

async function expectedRows({ run, steps, turns, calls, approvals }: RunSnapshot) {
  const journal = await db.journal.findMany({ where: { runId: run.id }, orderBy: { seq: "asc" } });
  const runId = run.id;
  return plain({
    steps: byId(steps.values()).map((step) => ({ ...step, runId })),
    turns: byId([...turns.values()].flat()).map((turn) => ({ ...turn, runId })),
    calls: byId(calls.values()).map(({ approval: _approval, ...call }) => ({ ...call, runId })),
    decisions: byId(
      [...approvals.values()].flatMap(({ id: approvalId, decisions }) =>
        decisions.map(({ userName: _name, token, at, ...row }) => ({
          ...row,
          approvalId,
          tokenId: token?.id ?? null,
          createdAt: at,
        })),
      ),
    ),
    events: journal.flatMap(({ body, seq, tx }) =>
      eventsOfBody(body).map(({ actor, ...event }, place) => ({
        ...event,
        chainId: runId,
        seq,
        place,
        tx,
        actorKind: actor.kind,
        actorId: actor.id,
        actorName: actor.name,
      })),
    ),
  });
}

/** Commits the change by itself, and compares what is projected then with the fold. */
async function make(runId: string, build: RunChange | ((snapshot: RunSnapshot) => RunChange)): Promise<void> {
  const at = nextAt();
  const kinds: RunChange["kind"][] = [];
  await changeRun(db, runId, {
    at: new Date(at),
    build: ({ snapshot }) => {
      const change = typeof build === "function" ? build(snapshot) : build;
      kinds.push(change.kind);
      const isEnd = change.kind === "run_ended" || change.kind === "run_cancelled";
      const queue = isEnd ? ({ kind: "release", wakeAt: null } as const) : ({ kind: "stay" } as const);
      return { changes: [{ ...change, at } as RunChange], queue, done: null };
    },
  });
  for (const kind of kinds) seen.add(kind);
  await check(runId);
}

async function check(runId: string): Promise<void> {
  await projectChain(db, runId);
  const { snapshot } = await getOpenRun(db, runId);
  expect(await readRows(runId)).toEqual(await expectedRows(snapshot));
}

async function begin(): Promise<{ runId: string; stepId: string }> {
  const run = aRun({ params: { order: 7 }, costBudgetUsd: 5 });
  await writeNewRun(db, run, { owner: "wrk_a", leaseMs: 60_000 }, new Date(nextAt()));
  seen.add("run_created").add("run_claimed");
  await check(run.id);
  return { runId: run.id, stepId: run.steps[0]?.id ?? "" };
}

const at = "2026-01-01T10:00:00.000Z";
const wait = { code: "server_away", message: "It is away.", tries: 1, until: "2026-01-01T11:00:00.000Z" } as const;
const claim = { kind: "run_claimed", at, worker: "wrk_a", from: null, was: "pending_approval" } as const;
const actor = { kind: "user", id: userId, name: "R" } as const;

describe("after each kind of change every column is as in the fold", () => {
  test("for a run that is asked about, and ends", async () => {
    const { runId, stepId } = await begin();
    const turn = aTurn(stepId, { costUsd: 0.25, request: { messages: ["é"] }, response: null });
    const parent = aCall(stepId, { turnId: turn.id, modelCallId: "m1", costUsd: 0.5, agentSays: "Look." });
    const asked = aCall(stepId, {
      turnId: turn.id,
      parentCallId: parent.id,
      status: "pending_approval",
      tool: "t-none",
    });
    const late = aCall(stepId, { turnId: turn.id, status: "pending_approval", tool: "t-late" });
    const denied = aCall(stepId, {
      status: "denied",
      error: { code: "denied", message: "No." },
      trace: [{ layer: "deny" }],
    });
    const given = aCall(stepId, { tool: "t-gone" });
    const [question, other] = [aQuestion(asked, { minApprovals: 2 }), aQuestion(late)];
    const about = { approvalId: question.id, callId: asked.id };
    await make(runId, {
      kind: "steps_added",
      at,
      steps: [aStep({ parentId: stepId, itemIndex: 0, input: { a: 1 } }), aStep({ key: "other" })],
    });
    await make(runId, { kind: "step_moved", at, move: { stepId, key: "work", to: "running", state: { tries: 1 } } });
    await make(
      runId,
      turnRecordedAt(at, stepId, { turn, calls: [parent, asked, late, denied, given], approvals: [question, other] }),
    );
    await make(runId, {
      kind: "approval_noted",
      at,
      type: "approval.set_aside",
      data: { approval_id: question.id },
      actor,
    });
    await make(runId, { kind: "approval_extended", at, ...about, expiresAt: "2027-01-01T00:00:00.000Z", actor });
    await make(runId, { kind: "approval_escalated", at, ...about, to: ["admin"] });
    await make(runId, {
      kind: "approval_tightened",
      at,
      ...about,
      rule: { ...question.rule, minApprovals: 1 },
      approvers: [],
      approvals: 0,
    });
    await make(runId, {
      kind: "call_executing",
      at,
      callId: parent.id,
      digest: parent.digest,
      epoch: 1,
      warnsOfBudget: false,
    });
    await make(runId, { kind: "call_not_sent", at, callId: parent.id, begun: true, refundUsd: 0.5, wait });
    await make(runId, {
      kind: "call_executing",
      at,
      callId: parent.id,
      digest: parent.digest,
      epoch: 1,
      warnsOfBudget: false,
    });
    await make(runId, {
      kind: "call_ended",
      at,
      callId: parent.id,
      status: "succeeded",
      result: { ok: true },
      error: null,
      durationMs: 3,
      refundUsd: 0,
    });
    const edited = {
      canonical: '{"a":2}',
      shown: { a: 2 },
      digest: digestOf("2"),
      questionDigest: digestOf("q2"),
      summary: "Edited",
    };
    const decision = aDecision(userId, { comment: "Fine." });
    await make(runId, {
      kind: "approval_decided",
      at,
      ...about,
      decision,
      argumentsDigest: asked.digest,
      edited,
      actor,
    });
    await make(runId, { kind: "approval_expired", at, approvalId: other.id, callId: late.id });
    await make(runId, {
      kind: "call_given_up",
      at,
      callId: given.id,
      error: { code: "server_away", message: "Too long." },
    });
    await make(runId, {
      kind: "call_asked_again",
      at,
      call: { ...asked, danger: "high", policyHash: "p2" },
      why: "stricter",
      approval: aQuestion(asked),
      error: null,
    });
    await make(runId, {
      kind: "run_parked",
      at,
      status: "pending_approval",
      wakeAt: null,
      activeMs: 5,
      worker: "wrk_a",
    });
    const again = [...(await getOpenRun(db, runId)).snapshot.approvals.values()].findLast(
      ({ status }) => status === "pending",
    );
    await make(runId, {
      kind: "approval_decided",
      at,
      approvalId: again?.id ?? "",
      callId: asked.id,
      decision: aDecision(userId),
      argumentsDigest: asked.digest,
      edited: null,
      actor,
    });
    await make(runId, claim);
    await make(runId, {
      kind: "call_executing",
      at,
      callId: asked.id,
      digest: asked.digest,
      epoch: 2,
      warnsOfBudget: false,
    });
    await make(runId, { kind: "call_unknown", at, callId: asked.id, isCommitLost: true });
    await make(runId, {
      kind: "call_settled",
      at,
      callId: asked.id,
      to: "succeeded",
      result: { said: "yes" },
      comment: null,
      actor,
    });
    await make(runId, { kind: "server_missed", at, server: "shop", message: "away" });
    await make(runId, { kind: "commits_lost", at, history: "h2" });
    await make(runId, { kind: "step_delayed", at, stepId, key: "work", wait });
    await make(runId, { kind: "run_released", at, fault: { code: "internal", message: "A defect." }, worker: "wrk_a" });
    await make(runId, {
      kind: "step_moved",
      at,
      move: { stepId, key: "work", to: "needs_human_review", output: [1], rawOutput: "raw" },
    });
    await make(runId, { kind: "step_reviewed", at, stepId, accepted: true, comment: "Good.", actor });
    await make(runId, {
      kind: "step_moved",
      at,
      move: { stepId, key: "work", to: "complete", output: { done: true }, degraded: true },
    });
    await make(runId, (snapshot) =>
      endRun(snapshot, { end: { status: "complete", output: { done: true } }, activeMs: 2, at }),
    );
    await make(runId, { kind: "run_retried", at, as: "run_other", actor });
  });

  test("for a run that is cancelled with everything open", async () => {
    const { runId, stepId } = await begin();
    const calls = [aCall(stepId), aCall(stepId, { status: "pending_approval" }), aCall(stepId)];
    const [waiting, asked, sent] = calls;
    if (!waiting || !asked || !sent) throw new Error("three calls were made");
    await make(runId, turnRecordedAt(at, stepId, { calls, approvals: [aQuestion(asked)] }));
    await make(runId, {
      kind: "call_executing",
      at,
      callId: sent.id,
      digest: sent.digest,
      epoch: 1,
      warnsOfBudget: true,
    });
    await make(runId, (snapshot) => cancelRun(snapshot, { reason: "Enough.", actor, at: snapshot.run.updatedAt }));
  });

  test("and no kind was left out", () => {
    const all: Record<RunChange["kind"], true> = {
      approval_decided: true,
      approval_escalated: true,
      approval_expired: true,
      approval_extended: true,
      approval_noted: true,
      approval_tightened: true,
      call_asked_again: true,
      call_ended: true,
      call_executing: true,
      call_given_up: true,
      call_not_sent: true,
      call_settled: true,
      call_unknown: true,
      commits_lost: true,
      run_cancelled: true,
      run_claimed: true,
      run_created: true,
      run_ended: true,
      run_parked: true,
      run_released: true,
      run_retried: true,
      server_missed: true,
      step_delayed: true,
      step_moved: true,
      step_reviewed: true,
      steps_added: true,
      turn_recorded: true,
    };
    expect([...seen].toSorted()).toEqual(Object.keys(all).toSorted());
  });
});

test("folded from a snapshot at any of its rows a run is the same as folded from its first row", async () => {
  for (const { id } of await db.run.findMany({ select: { id: true } })) {
    const entries = await readEntries(id);
    for (const kept of entries.keys()) {
      const whole = foldRun(id, entries.slice(0, kept + 1), auditKeys());
      const text = JSON.stringify(keepSnapshot(whole.snapshot));
      const part = { snapshot: openSnapshot(JSON.parse(text) as KeptSnapshot)!, head: whole.head };
      for (const entry of entries.slice(kept + 1)) {
        for (const folded of [whole, part]) foldOn(folded, [entry], auditKeys());
        expect(keepSnapshot(part.snapshot)).toEqual(keepSnapshot(whole.snapshot));
        expect(part.snapshot.run).toEqual(whole.snapshot.run);
        expect(part.snapshot.steps).toEqual(whole.snapshot.steps);
        for (const name of ["calls", "approvals", "turns"] as const) {
          for (const [key, row] of part.snapshot[name]) expect(row).toEqual(whole.snapshot[name].get(key));
        }
      }
      for (const { id: callId, approval } of part.snapshot.calls.values()) {
        if (approval) expect(part.snapshot.approvals.get(approval.id), callId).toBe(approval);
      }
    }
  }
});

async function readEntries(runId: string): Promise<Entry[]> {
  const rows = await db.journal.findMany({ where: { runId }, orderBy: { seq: "asc" } });
  return rows.map(({ runId: chain, seq, at: time, body, mac, hash, data }) => ({
    chain,
    seq,
    at: time.toISOString(),
    body,
    mac: Buffer.from(mac),
    hash: Buffer.from(hash),
    data,
  }));
}

test("rebuilt they are what they were", async () => {
  const runs = await db.run.findMany({ select: { id: true }, orderBy: { id: "asc" } });
  const readAll = () => Promise.all(runs.map(({ id }) => readRows(id)));
  const before = await readAll();
  const told: { done: number; runs: number }[] = [];
  await rebuildProjections(db, (progress) => void told.push(progress));
  expect(told.at(-1)).toEqual({ done: runs.length, runs: runs.length });
  expect(await readAll()).toEqual(before);
});

test("projecting twice writes nothing", async () => {
  const versions = () =>
    db.$queryRaw`SELECT id, xmin::text FROM steps UNION ALL SELECT id, xmin::text FROM calls ORDER BY 1`;
  const before = await versions();
  for (const { id } of await db.run.findMany({ select: { id: true } })) await projectChain(db, id);
  expect(await versions()).toEqual(before);
});
