/** A decision is based on the journal, and on rows that agree with it. */
import { afterEach, describe, expect, test } from "vitest";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { findDecidable } from "@/lib/approvals/find-decidable";
import { listApprovals } from "@/lib/approvals/queries/list-approvals";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { connect } from "@/lib/database/client";
import { cancelRun } from "@/lib/runs/cancel-run";
import { changeRun, type OutsideChange } from "@/lib/runs/journal/change-run";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
afterEach(releaseAll);
const sql = (strings: TemplateStringsArray, ...values: unknown[]) => database.db.$executeRaw(strings, ...values);

const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

async function asked(rule = "reason: big") {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: `- name: t-none\n  require_approval: { ${rule} }`,
  });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  const types = async () =>
    (await database.db.event.findMany({ where: { chainId: runId }, orderBy: [{ seq: "asc" }, { place: "asc" }] })).map(
      ({ type }) => type,
    );
  return { bench, runId, approval: approval!, types };
}

type Asked = Awaited<ReturnType<typeof asked>>;

/** An empty change, as if something were committed in between. */
const touch = ({ bench, runId, approval }: Asked) => {
  const at = bench.clock.now();
  const change = {
    kind: "approval_noted",
    at: at.toISOString(),
    type: "approval.taken_up",
    data: { approval_id: approval.id },
    actor: TEST_ACTOR,
  } as const;
  const build = (): OutsideChange<null> => ({ changes: [change], queue: { kind: "stay" }, done: null });
  return changeRun(database.db, runId, { build, at });
};

describe("rows that were changed by hand", () => {
  test("an inbox row that differs prevents approval, is recorded on the trail, and does not prevent rejection", async () => {
    const it = await asked("min_approvals: 2");
    await sql`UPDATE approvals SET min_approvals = 1 WHERE id = ${it.approval.id}`;
    const admin = await it.bench.person("admin");
    await expect(it.bench.decide(it.approval, "approved", { by: admin })).rejects.toThrow(
      `The record of approval ${it.approval.id} was changed in the database: its min_approvals is 1 on the row and 2 on the sealed trail. It can be rejected, or its run cancelled; \`kimitsu audit verify\` names what differs. Nothing was decided.`,
    );
    expect(await it.types()).toContain("approval.mismatched");
    expect(await it.bench.decide(it.approval, "rejected", { reason: "odd", by: admin })).toBe("rejected");
    const row = await database.db.approval.findUniqueOrThrow({ where: { id: it.approval.id } });
    expect(row).toMatchObject({ status: "rejected", minApprovals: 2, deciders: [admin.userId] });
  });

  test.each([
    ["a status", "status = 'expired', decided_at = now()", "its status is expired on the row and pending"],
    ["arguments", `digest = 'sha256:${"0".repeat(64)}'`, "its arguments are not the sealed ones"],
    ["a sentence", "summary = 'Nothing much'", "what it shows is not what was sealed"],
    ["approvers", "approvers = '{admin}'", "its approvers is admin on the row and any reviewer on the sealed trail"],
    ["a rule", `rule = jsonb_set(rule, '{timeoutMs}', '1')`, "what it shows is not what was sealed"],
    ["a version", "version = 7", "its version is 7 on the row and 1 on the sealed trail"],
  ])("%s on its row is told", async (_, set, problem) => {
    const it = await asked();
    await database.db.$executeRawUnsafe(`UPDATE approvals SET ${set} WHERE id = '${it.approval.id}'`);
    await expect(it.bench.decide(it.approval, "approved")).rejects.toThrow(problem);
    await cancelRun(it.bench.deps, TEST_ACTOR, { runId: it.runId });
    const row = await database.db.approval.findUniqueOrThrow({ where: { id: it.approval.id } });
    expect(row).toMatchObject({ status: "cancelled", version: 2 });
  });

  test("a changed run row prevents approval, but nothing that ends the run", async () => {
    const it = await asked();
    await sql`UPDATE runs SET started_by_user_id = NULL WHERE id = ${it.runId}`;
    await expect(it.bench.decide(it.approval, "approved")).rejects.toThrow(
      "its started_by_user_id is not set on the row",
    );
    expect(await it.types()).toContain("approval.mismatched");
    expect(await it.bench.decide(it.approval, "rejected")).toBe("rejected");
    await cancelRun(it.bench.deps, TEST_ACTOR, { runId: it.runId });
  });

  test("nothing can be done on the basis of a changed journal", async () => {
    const it = await asked();
    await sql`ALTER TABLE journal DISABLE TRIGGER USER`;
    await sql`GRANT UPDATE ON journal TO CURRENT_USER`;
    await sql`UPDATE journal SET data = replace(data, '5000', '5') WHERE run_id = ${it.runId}`;
    await sql`ALTER TABLE journal ENABLE TRIGGER USER`;
    // Another process, which does not have the run in memory.
    const next = await openEngineBench(database, { script: PAY, on: it.bench });
    const deps = { ...next.deps, db: connect(database.url, 4) };
    database.closing.push(() => deps.db.$disconnect());
    for (const verdict of ["approved", "rejected"] as const) {
      const by = await it.bench.person();
      await expect(decideApproval(deps, by, { approvalId: it.approval.id, verdict })).rejects.toThrow(
        new RegExp(
          `^The record of approval ${it.approval.id} was changed in the database: row \\d+ of its journal holds`,
        ),
      );
    }
    await expect(cancelRun(deps, TEST_ACTOR, { runId: it.runId })).rejects.toMatchObject({ code: "conflict" });
  });
});

test("a person whose account is disabled at the moment of the decision does not decide", async () => {
  const it = await asked();
  const by = await it.bench.person();
  const hold = holdAt("decide-approval:before-commit", { subject: it.approval.id });
  const deciding = it.bench.decide(it.approval, "approved", { by }).catch((error: unknown) => error);
  await hold.reachedBy(1);
  await sql`UPDATE users SET disabled_at = now() WHERE id = ${by.userId}`;
  hold.release();
  expect(await deciding).toMatchObject({ code: "forbidden", message: expect.stringContaining("Nothing was decided") });
  expect((await it.bench.pending(it.runId))[0]).toMatchObject({ status: "pending", decisions: [] });
});

test("a decision succeeds however often another commit comes in between, in the end under a lock", async () => {
  const it = await asked();
  const hold = holdAt("decide-approval:before-commit", { subject: it.approval.id });
  const deciding = it.bench.decide(it.approval, "approved");
  for (let tries = 1; tries <= 3; tries += 1) {
    const standing = (await hold.reachedBy(tries))[tries - 1]!;
    await touch(it);
    standing.release();
  }
  hold.release();
  expect(await deciding).toBe("approved");
  const { snapshot } = await getOpenRun(database.db, it.runId);
  expect(snapshot.approvals.get(it.approval.id)).toMatchObject({ status: "approved", approvals: 1 });
});

test("lists show what is not projected yet", async () => {
  const it = await asked();
  // Nothing brings the projections up to date for this client.
  const db = connect(database.url, 4);
  database.closing.push(() => db.$disconnect());
  await db.$executeRaw`DELETE FROM projected_runs WHERE run_id = ${it.runId}`;
  await db.$executeRaw`DELETE FROM calls WHERE run_id = ${it.runId}`;
  const reader = await it.bench.person();
  const rows = (await listInbox(db, reader, { sort: "age", limit: 1000 })).items;
  expect(rows.find(({ id }) => id === it.approval.id)).toMatchObject({ tool: "t-none", isFolded: false });
  const [listed] = (await listApprovals(db, { status: ["pending"], limit: 1 })).items;
  expect(listed).toMatchObject({ id: it.approval.id, arguments: { amount: 5000 }, stepKey: "work" });
  expect(await findDecidable(db, { runId: it.runId })).toMatchObject({ id: it.approval.id });
});

test("a decision is acted upon when the worker reads it just before it parks the run", async () => {
  const call = (amount: number) => `{ tool: t-none, arguments: { amount: ${amount} } }`;
  const bench = await openEngineBench(database, {
    script: `agents:\n  worker:\n    turns:\n      - call: [${call(1)}, ${call(2)}]\n    otherwise: { output: {} }\n`,
    allowlist: "- name: t-none\n  require_approval: {}",
  });
  const runId = await bench.launch();
  const [first, second] = await bench.pending(runId);
  await bench.decide(first!, "approved");
  const hold = holdAt("park-run:before-commit", { subject: runId });
  const driven = await bench.drive(runId);
  await hold.reached();
  await bench.decide(second!, "approved");
  await driven.wake();
  hold.release();
  expect(await driven.ended).toEqual({ kind: "settled" });
  expect(await bench.recorder.calls("t-none")).toHaveLength(2);
});
