import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { findCardContext } from "@/lib/approvals/find-card-context";
import { findCard } from "@/lib/approvals/queries/find-card";
import { eventIdAt, lookAtEvents } from "@/lib/approvals/queries/list-live-events";
import { sweepTimers } from "@/lib/runs/worker/sweep-timers";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const script = (args: string) =>
  `agents:\n  worker:\n    turns:\n      - say: "Trust me\u200B."\n        call: [{ tool: t-none, arguments: ${args} }]\n    otherwise: { output: {} }\n`;
const ALLOWLIST =
  '- name: t-none\n  require_approval: { reason: "Irreversible", on_reject: recover, reject_reasons: ["Wrong order"] }';
const reader = { userId: "usr_reader", role: "reviewer" as const, groups: [] };

async function ask(args: string, on?: Awaited<ReturnType<typeof openEngineBench>>) {
  const bench = await openEngineBench(database, { script: script(args), allowlist: ALLOWLIST, ...(on ? { on } : {}) });
  const [approval] = await bench.pending(await bench.launch());
  return { bench, approval: approval! };
}

test(
  verifies(
    "inbox:hidden",
    "a card has the call as stored, makes hidden characters visible, and contains no trace of a password's value",
  ),
  async () => {
    const { bench, approval } = await ask('{ amount: 12, note: "a\\u202Eb", password: "paper lantern 42" }');
    const card = await findCard(database.db, approval.id, { reader, now: bench.clock.now() });
    expect(JSON.stringify(card)).not.toContain("paper lantern");
    expect(card).toMatchObject({
      status: "pending",
      refusal: null,
      decidedByReader: false,
      rejectReasons: ["Wrong order"],
      onReject: "recover",
      triesLeft: 2,
      digest: approval.digest,
      agentSays: "Trust me⟨U+200B⟩.",
    });
    const values = Object.fromEntries(card!.arguments.map(({ path, value }) => [path, value]));
    expect(values).toMatchObject({
      amount: { kind: "plain", text: "12" },
      note: { kind: "text", text: "a⟨U+202E⟩b" },
      password: { kind: "redacted", what: "string", length: 16 },
    });
    expect(card!.copyText).toContain("a\\u202eb");
    expect(card!.why.find((entry) => entry.outcome === "ask")?.source).toMatch(/^agents\/worker\.agent\.yaml:\d+$/);
    expect(
      await findCard(database.db, "apr_00000000000000000000000000", { reader, now: bench.clock.now() }),
    ).toBeNull();
  },
);

test("after a decision the next card of the tool shows what differs, who decided, and why some were rejected", async () => {
  const first = await ask("{ amount: 89.9, currency: EUR }");
  await first.bench.decide(first.approval, "approved");
  const second = await ask("{ amount: 1, currency: EUR }", first.bench);
  second.bench.clock.advance(1000);
  await second.bench.decide(second.approval, "rejected", { reason: "Wrong order" });
  const third = await ask("{ amount: 1240, currency: EUR }", first.bench);
  const card = await findCard(database.db, third.approval.id, { reader, now: third.bench.clock.now() });
  expect(card?.arguments.map(({ path, change }) => [path, change?.was ?? null])).toEqual([
    ["amount", "89.9"],
    ["currency", null],
  ]);
  expect(card?.seen).toMatchObject({
    approved: 1,
    rejected: 1,
    reasons: ["Wrong order"],
    last: { verdict: "rejected" },
  });
  expect(card?.run.moments.at(-1)).toMatchObject({ kind: "call", status: "pending_approval" });
  const { events } = await lookAtEvents(database.db, {
    snapshot: null,
    since: eventIdAt(new Date(Date.now() - 60_000)),
  });
  expect(
    events.find((event) => event.approvalId === second.approval.id && event.type === "approval.decided"),
  ).toMatchObject({ verdict: "rejected", actor: { kind: "user" } });
  expect(JSON.stringify(events)).not.toContain("Wrong order");
});

test("the card warns of what the server's file calls destructive, uses its title, and says to whom it was escalated", async () => {
  const bench = await openEngineBench(database, {
    script: script("{ amount: 1 }"),
    allowlist: "- name: t-none\n  require_approval: { approvers: [operator], escalate: { after: 10m, to: [admin] } }",
    server: "tools: { t-none: { annotations: { title: Wipe the disk, destructiveHint: true } } }\n",
  });
  const [approval] = await bench.pending(await bench.launch());
  expect(
    await findCard(database.db, approval!.id, {
      reader,
      now: bench.clock.now(),
      context: await findCardContext(bench.deps, approval!),
    }),
  ).toMatchObject({ destructive: true, danger: "critical", summary: "Wipe the disk: amount 1", escalated: null });
  bench.clock.advance(11 * 60_000);
  await sweepTimers(bench.deps, () => undefined);
  expect((await findCard(database.db, approval!.id, { reader, now: bench.clock.now() }))?.escalated).toEqual({
    at: bench.clock.now().toISOString(),
    to: ["admin"],
  });
});

test("a person who may not decide learns so, and a call that nobody can decide names nobody", async () => {
  const bench = await openEngineBench(database, {
    script: script("{ amount: 1 }"),
    allowlist: "- name: t-none\n  require_approval: { approvers: [nobody-here] }",
    files: { "policy.yaml": "groups: { nobody-here: {} }\n" },
  });
  const [approval] = await bench.pending(await bench.launch());
  const card = await findCard(database.db, approval!.id, { reader, now: bench.clock.now() });
  expect(card?.refusal).toContain("for nobody-here to decide");
  expect(card?.deciders).toEqual({ names: [], more: 0 });
});

test(
  verifies(
    "inbox:same",
    "a card says that the same call was approved before, what became of it, and how many others wait",
  ),
  async () => {
    const first = await ask("{ amount: 77, order: A-9 }");
    const second = await ask("{ amount: 77, order: A-9 }", first.bench);
    const other = await ask("{ amount: 78, order: A-9 }", first.bench);
    const cardOf = (id: string) => findCard(database.db, id, { reader, now: first.bench.clock.now() });
    expect((await cardOf(first.approval.id))?.same).toEqual({ approved: null, waiting: 1 });
    expect((await cardOf(other.approval.id))?.same).toEqual({ approved: null, waiting: 0 });
    await first.bench.decide(first.approval, "approved");
    expect((await cardOf(second.approval.id))?.same).toMatchObject({
      approved: { runId: first.approval.runId, isSameRun: false, by: [expect.any(String)], status: "approved" },
      waiting: 0,
    });
    await first.bench.advance(first.approval.runId);
    expect((await cardOf(second.approval.id))?.same.approved).toMatchObject({ status: "succeeded" });
    expect((await cardOf(other.approval.id))?.same).toEqual({ approved: null, waiting: 0 });
  },
);

test(
  verifies(
    "inbox:same",
    "an agent that repeats a call within a run is distinguished from another run with the same call",
  ),
  async () => {
    const turn = "      - call: [{ tool: t-none, arguments: { amount: 55 } }]\n";
    const bench = await openEngineBench(database, {
      script: `agents:\n  worker:\n    turns:\n${turn}${turn}    otherwise: { output: {} }\n`,
      allowlist: ALLOWLIST,
    });
    const runId = await bench.launch();
    const [first] = await bench.pending(runId);
    await bench.decide(first!, "approved");
    await bench.advance(runId);
    const [second] = await bench.pending(runId);
    expect((await findCard(database.db, second!.id, { reader, now: bench.clock.now() }))?.same.approved).toMatchObject({
      runId,
      isSameRun: true,
      status: "succeeded",
    });
  },
);

test(
  verifies(
    "inbox:edit",
    "a card that was approved with changes shows each proposed and sent value, and reveals no secret by that",
  ),
  async () => {
    const bench = await openEngineBench(database, {
      script: script('{ amount: 12, note: "soon", password: "paper lantern 42" }'),
      allowlist: "- name: t-none\n  require_approval: { edit: true }",
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    const cardNow = async () =>
      findCard(database.db, approval!.id, {
        reader,
        now: bench.clock.now(),
        context: await findCardContext(bench.deps, approval!),
      });
    expect((await cardNow())?.changes).toEqual([]);
    await bench.decide(approval!, "approved", {
      arguments: { amount: 15, password: "paper lantern 42", urgent: true },
    });
    const card = await cardNow();
    expect(card?.changes).toEqual([
      { path: "amount", proposed: "12", effective: "15" },
      { path: "note", proposed: '"soon"', effective: null },
      { path: "urgent", proposed: null, effective: "true" },
    ]);
    expect(JSON.stringify(card)).not.toContain("paper lantern");
  },
);
