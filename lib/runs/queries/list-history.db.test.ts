import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { createId } from "@/lib/ids";
import { listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { getRunTimeline } from "@/lib/runs/queries/get-run-timeline";
import { findStepPage } from "@/lib/runs/queries/get-step-page";
import { listHistory } from "@/lib/runs/queries/list-history";
import { listRunApprovals } from "@/lib/approvals/queries/list-run-approvals";
import { listRunSpans } from "@/lib/runs/queries/list-run-spans";
import { listRunEvents } from "@/lib/runs/queries/list-run-events";
import type { NewRun } from "@/lib/runs/changes/run-created";
import type { RunFilter } from "@/lib/runs/queries/run-filter";
import { listWorkflowStats } from "@/lib/runs/queries/list-workflow-stats";
import { listWorkflowVersions } from "@/lib/projects/queries/list-workflow-versions";
import { buildUser } from "@/lib/testing/builders";
import { aCall, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { useDatabase } from "@/lib/testing/database";
import { makeChanges } from "@/lib/testing/make-changes";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";
import { keepTestVersion, type SeededRun, writeRuns } from "@/lib/testing/write-runs";

const database = useDatabase();
const MINUTE_MS = 60_000;

const SCRIPT = `agents:
  worker:
    turns:
      - say: "I act."
        call:
          - { tool: t-none, arguments: { text: "first\\u200b", password: hunter2 } }
          - { tool: t-none, arguments: { text: second } }
      - output: { did: true }
`;
const ASK = "- name: t-none\n  require_approval: { on_reject: recover, self_approval: true }";
const WORKFLOW = `kind: workflow
name: main
version: "1.2.0"
params: { schema: { type: object, properties: { order: { type: string } } } }
pipeline:
  - id: work
    agent: ./agents/worker.agent.yaml
  - id: after
    depends_on: [work]
    transform: { inputs: [{ from: work }] }
`;

async function bench() {
  const server = await startRecordingServer({});
  const run = await openRunBench(
    database,
    oneAgentProject({ url: server.url, allowlist: ASK, script: SCRIPT, workflow: WORKFLOW }),
  );
  const [ana, jo] = [
    await buildUser(run.deps, "operator", { name: `Ana ${Math.random()}` }),
    await buildUser(run.deps, "reviewer", { name: `Jo ${Math.random()}` }),
  ];
  const by = { userId: jo.id, role: "reviewer" as const, groups: [], actor: jo.actor, tokenId: null };
  const start = async (order: string, actor = ana.actor) =>
    (await startRun(run.deps, { workflow: "main", params: { order }, actor })).runId;
  const list = async (filter: RunFilter & { cursor?: string; limit?: number }) =>
    listHistory(run.deps.db, { now: run.clock.now(), ...filter });
  return { server, ...run, ana, jo, by, start, list };
}

/** A run with this cost. */
function spending(run: NewRun, costUsd: number): SeededRun {
  const at = new Date("2026-01-01T10:00:00.000Z");
  const stepId = run.steps[0]?.id ?? "";
  const turn = turnRecordedAt(at.toISOString(), stepId, { turn: aTurn(stepId, { costUsd }) });
  return { run, at, commits: [[turn]] };
}

describe("the list of runs", () => {
  test(verifies("history:filters", "is narrowed by each filter to exactly the matching runs"), async () => {
    const { list, start, ana, jo, server } = await bench();
    const [one, two] = [await start("A-1042"), await start("it's 50% \\ off")];
    const other = await start("B-77", jo.actor);
    const ids = async (filter: RunFilter) => (await list(filter)).items.map(({ id }) => id);
    expect(await ids({ who: ana.name })).toEqual([two, one]);
    expect(await ids({ who: jo.email })).toEqual([other]);
    expect(await ids({ who: jo.id })).toEqual([other]);
    expect(await ids({ who: ana.name, text: "A-10" })).toEqual([one]);
    expect(await ids({ text: one })).toEqual([one]);
    expect(await ids({ who: ana.name, text: "it's 50% \\" })).toEqual([two]);
    expect(await ids({ who: ana.name, text: "A-10 & ! ( :*" })).toEqual([one]);
    expect(await ids({ who: ana.name, text: "A-10 | zebra" })).toEqual([]);
    expect(await ids({ who: ana.name, workflow: "main", agent: "worker", status: ["pending"] })).toEqual([two, one]);
    expect(await ids({ who: ana.name, agent: "work" })).toEqual([]);
    await database.db.run.update({ where: { id: one }, data: { costUsd: 0.25 } });
    expect(await ids({ who: ana.name, costMin: 0.25 })).toEqual([one]);
    expect(await ids({ who: ana.name, costMin: 0.1, costMax: 0.2 })).toEqual([]);
    expect(await ids({ who: ana.name, costMax: 0.24 })).toEqual([two]);
    expect(await ids({ who: ana.name, status: ["failed", "pending"] })).toEqual([two, one]);
    expect(await ids({ who: ana.name, from: new Date("2026-01-02") })).toEqual([]);
    expect(await ids({ who: ana.name, to: new Date("2026-01-02"), from: new Date("2025-12-31") })).toEqual([two, one]);
    await server.close();
  });

  test("pages join without gaps or repeats, newest first", async () => {
    const { list, start, ana, server } = await bench();
    const started: string[] = [];
    for (let n = 0; n < 5; n++) started.unshift(await start(`n${n}`));
    const seen: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 4; pages++) {
      const page = await list({ who: ana.id, limit: 2, cursor });
      seen.push(...page.items.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(started);
    await server.close();
  });

  test("finds what very many runs have like what few have: alone, with other filters, and page by page", async () => {
    const { list, ana, deps, server } = await bench();
    await keepTestVersion(deps.db);
    const starter = { startedBy: ana.actor, startedByUserId: ana.id };
    const crowd = Array.from({ length: 620 }, (_, index) => {
      const id = createId("run");
      const workflow = index % 2 === 0 ? "even" : "odd";
      return aRun({ ...starter, id, workflow, agents: ["crowd"], params: { title: "murmuration of starlings" } });
    });
    await writeRuns(
      deps.db,
      crowd.map((run) => spending(run, 3)),
    );
    const ids = crowd.map(({ id }) => id);
    const newest = ids.toReversed();
    const expectAll = async () => {
      for (const filter of [
        { agent: "crowd" },
        { text: "starl" },
        { costMin: 2 },
        { agent: "crowd", who: ana.id },
        { agent: "crowd", text: "murm star", costMin: 3, costMax: 3 },
      ]) {
        const first = await list({ ...filter, limit: 3 });
        const second = await list({ ...filter, limit: 3, cursor: first.nextCursor ?? undefined });
        expect(
          [...first.items, ...second.items].map(({ id }) => id),
          JSON.stringify(filter),
        ).toEqual(newest.slice(0, 6));
      }
      expect((await list({ agent: "crowd", workflow: "odd", limit: 2 })).items.map(({ id }) => id)).toEqual([
        newest[0],
        newest[2],
      ]);
      expect((await list({ text: "murmuration of larks" })).items).toEqual([]);
    };
    await expectAll();
    // The same when none of the newest match.
    const quiet = Array.from({ length: 1100 }, () => aRun({ ...starter, workflow: "quiet", agents: ["nobody"] }));
    await writeRuns(
      deps.db,
      quiet.map((run) => spending(run, 1)),
    );
    await expectAll();
    await server.close();
  });

  test("counts the time in which people were asked once, however many approvals were open, and apart from work", async () => {
    const { list, start, advance, clock, deps, by, ana, server } = await bench();
    const runId = await start("wait");
    await advance(runId);
    clock.advance(2 * MINUTE_MS);
    const [first, second] = await listPendingOfRun(deps.db, runId);
    await decideApproval(deps, by, { approvalId: first!.id, verdict: "approved", digest: first!.digest });
    clock.advance(MINUTE_MS);
    const [waiting] = (await list({ who: ana.id })).items;
    expect(waiting).toMatchObject({
      status: "pending_approval",
      waitedMs: 3 * MINUTE_MS,
      stepsTotal: 2,
      steps: [
        { key: "work", status: "pending_approval" },
        { key: "after", status: "pending" },
      ],
    });
    await decideApproval(deps, by, { approvalId: second!.id, verdict: "rejected", reason: "No" });
    clock.advance(MINUTE_MS);
    await advance(runId);
    const [ended] = (await list({ who: ana.id })).items;
    expect(ended).toMatchObject({ status: "complete", waitedMs: 3 * MINUTE_MS });
    await server.close();
  });
});

describe("the page of one run", () => {
  test("has its head, timeline, conversation and approvals, with secrets removed and invisible characters written out", async () => {
    const { start, advance, clock, deps, by, jo, server } = await bench();
    const runId = await start("page");
    await advance(runId);
    clock.advance(MINUTE_MS);
    for (const approval of await listPendingOfRun(deps.db, runId))
      await decideApproval(deps, by, { approvalId: approval.id, verdict: "approved", digest: approval.digest });
    await advance(runId);

    const page = (await findRunPage(deps.db, runId, clock.now()))!;
    expect(page).toMatchObject({
      status: "complete",
      version: "1.2.0",
      counts: { approvals: 2, pendingApprovals: 0 },
      waitedMs: MINUTE_MS,
      unknownCalls: [],
      review: null,
    });
    const [work] = page.steps;
    const timeline = await getRunTimeline(deps.db, runId);
    expect(timeline.entries.map(({ thing, number, rootStepId }) => [number, thing.kind, rootStepId])).toEqual(
      ["turn", "wait", "wait", "turn", "call", "call"].map((kind, index) => [index + 1, kind, work!.id]),
    );
    expect(timeline.totals).toEqual(new Map([[work!.id, 6]]));
    expect(timeline.entries.map(({ thing }) => thing)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          wait: expect.objectContaining({ decidedBy: [{ name: jo.name, verdict: "approved", reason: null }] }),
        }),
        expect.objectContaining({ call: expect.objectContaining({ status: "succeeded" }) }),
      ]),
    );
    const spans = await listRunSpans(deps.db, runId, { from: page.createdAt, to: clock.now(), max: 10 });
    expect(
      spans
        .filter(({ kind }) => kind === "person")
        .map(({ count, workMs, status, rootStepId }) => [count, workMs, status, rootStepId]),
    ).toEqual([
      [1, MINUTE_MS, "approved", work!.id],
      [1, MINUTE_MS, "approved", work!.id],
    ]);

    const step = (await findStepPage(deps.db, { runId, stepId: work!.id, fingerprint: deps.fingerprint }))!;
    expect(step.turns.map(({ text, calls }) => [text, calls.length])).toEqual([
      ["I act.", 2],
      [expect.stringContaining("did"), 0],
    ]);
    expect(step.turns[0]?.calls[0]).toMatchObject({
      arguments: { text: "first⟨U+200B⟩" },
      reasons: [expect.objectContaining({ outcome: "ask", source: expect.stringMatching(/worker\.agent\.yaml:\d+$/) })],
    });
    expect(
      JSON.stringify(step.turns.flatMap(({ calls }) => calls.map((call) => [call.arguments, call.summary]))),
    ).not.toContain("hunter2");
    expect(
      (await findStepPage(deps.db, { runId, stepId: work!.id, fromTurn: 2, fingerprint: deps.fingerprint }))?.turns.map(
        ({ number }) => number,
      ),
    ).toEqual([2]);

    const approvals = await listRunApprovals(deps.db, { runId, fingerprint: deps.fingerprint });
    expect(approvals.items.map(({ status, stepKey, decisions }) => [status, stepKey, decisions[0]?.name])).toEqual([
      ["approved", "work", jo.name],
      ["approved", "work", jo.name],
    ]);
    await server.close();
  });

  test("is null for a run that does not exist, and a step of another run does not count", async () => {
    const { start, deps, clock, server } = await bench();
    const [one, other] = [await start("a"), await start("b")];
    expect(await findRunPage(deps.db, "run_01aaaaaaaaaaaaaaaaaaaaaaaa", clock.now())).toBeNull();
    const [step] = (await findRunPage(deps.db, other, clock.now()))!.steps;
    expect(await findStepPage(deps.db, { runId: one, stepId: step!.id, fingerprint: deps.fingerprint })).toBeNull();
    await server.close();
  });
});

test("a run of thousands of turns and events opens with pages of them, and nothing on its page grows with their number", async () => {
  const { deps, clock, server } = await bench();
  const step = aStep();
  const run = aRun({ steps: [step] });
  const runId = run.id;
  // Two seconds from turn to turn, and an hour of nothing in the middle.
  const began = clock.now().getTime();
  const endOf = (index: number) => new Date(began + index * 2000 + (index >= 1500 ? 60 * MINUTE_MS : 0));
  const commits = Array.from({ length: 3000 }, (_, index) => {
    const turn = aTurn(step.id, { number: index + 1, durationMs: 1000 });
    return [turnRecordedAt(endOf(index).toISOString(), step.id, { turn })];
  });
  await keepTestVersion(deps.db);
  await writeRuns(deps.db, [{ run, at: clock.now(), commits }]);
  const [page, timeline, conversation, events] = await Promise.all([
    findRunPage(deps.db, runId, clock.now()),
    getRunTimeline(deps.db, runId),
    findStepPage(deps.db, { runId, stepId: step.id, fingerprint: deps.fingerprint }),
    listRunEvents(deps.db, runId),
  ]);
  expect(page!.counts.events).toBe(3_001);
  expect([timeline.totals.get(step.id), timeline.entries.map(({ number }) => number)]).toEqual([
    3000,
    [...Array.from({ length: 8 }, (_, index) => index + 1), ...Array.from({ length: 16 }, (_, index) => 2985 + index)],
  ]);
  const whole = await listRunSpans(deps.db, runId, { from: new Date(began - 1000), to: endOf(3000), max: 50 });
  const sum = (of: "count" | "workMs") => whole.reduce((all, span) => all + span[of], 0);
  expect([whole.length, sum("count"), sum("workMs")], "all of it, in a few").toEqual([50, 3000, 3_000_000]);
  expect(
    whole.some(({ from, to }) => from < endOf(1499) && to > endOf(1500)),
    "nothing is drawn over the hour of nothing",
  ).toBe(false);
  const closer = await listRunSpans(deps.db, runId, { from: endOf(100), to: endOf(120), max: 50 });
  expect(closer.map(({ count, name }) => [count, name])).toEqual(
    Array.from({ length: 21 }, (_, index) => [1, `turn ${101 + index}`]),
  );
  expect([conversation!.turns.length, conversation!.nextTurn, events.items.length]).toEqual([20, 21, 50]);
  await server.close();
});

test("figures of a workflow cover its own runs, and a workflow without runs has none", async () => {
  const { deps, server } = await bench();
  const stats = await listWorkflowStats(deps.db, ["main", "never-run"]);
  expect(stats.get("main")!.complete).toBeGreaterThan(0);
  expect(stats.get("main")!.ended).toBeGreaterThanOrEqual(stats.get("main")!.complete);
  expect(stats.get("never-run")).toEqual({
    lastRuns: [],
    ended: 0,
    complete: 0,
    waiting: 0,
    meanCostUsd: null,
    lastStartedAt: null,
  });
  await server.close();
});

test("versions of a workflow are distinguished by its own number and by the whole configuration, the newest first", async () => {
  const { deps, server } = await bench();
  const workflow = "versioned";
  const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
  for (const digit of ["1", "2"])
    await deps.db.projectVersion.create({ data: { hash: hash(digit), content: Buffer.from("") } });
  const began = [
    ["1.0.0", "1", 1],
    ["1.0.0", "1", 2],
    ["1.0.0", "2", 3],
    ["1.1.0", "2", 4],
  ] as const;
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
  const runs = began.map(([version, digit, hour]) => ({
    run: aRun({ workflow, version, configHash: hash(digit) }),
    at: at(hour),
  }));
  await writeRuns(deps.db, runs);
  expect(await listWorkflowVersions(deps.db, workflow)).toEqual([
    { version: "1.1.0", configHash: hash("2"), runs: 1, firstAt: at(4), lastAt: at(4) },
    { version: "1.0.0", configHash: hash("2"), runs: 1, firstAt: at(3), lastAt: at(3) },
    { version: "1.0.0", configHash: hash("1"), runs: 2, firstAt: at(1), lastAt: at(2) },
  ]);
  expect(await listWorkflowVersions(deps.db, "never-run")).toEqual([]);
  await server.close();
});

test("no hidden characters remain in errors, in the reasons of judgments, or in what people wrote", async () => {
  const { start, advance, deps, by, server } = await bench();
  const runId = await start("hides");
  await advance(runId);
  for (const approval of await listPendingOfRun(deps.db, runId))
    await decideApproval(deps, by, {
      approvalId: approval.id,
      verdict: "approved",
      digest: approval.digest,
      comment: "said\u202E",
    });
  const error = { code: "tool_failed", message: "broke\u202E" };
  const [step] = await deps.db.step.findMany({ where: { runId }, orderBy: { id: "asc" } });
  const stepId = step!.id;
  const trace = [{ layer: "pin", outcome: "ask", reason: "strange\u202E" }];
  await makeChanges(deps.db, runId, () => {
    const at = deps.now().toISOString();
    const strange = aCall(stepId, { status: "denied", error, trace });
    return [
      turnRecordedAt(at, stepId, { calls: [strange] }),
      { kind: "step_moved", at, move: { stepId, key: "work", to: "failed", error } },
      { kind: "run_released", at, fault: error, worker: "wrk_test" },
    ];
  });
  const query = { runId, stepId: step!.id, fingerprint: deps.fingerprint };
  const pages = [
    await findRunPage(deps.db, runId, deps.now()),
    await findStepPage(deps.db, query),
    await listRunApprovals(deps.db, query),
  ];
  const text = JSON.stringify(pages);
  expect(text).not.toContain("\u202E");
  for (const word of ["broke⟨U+202E⟩", "strange⟨U+202E⟩", "said⟨U+202E⟩"]) expect(text).toContain(word);
  await server.close();
});
