/**
 * Someone has the application's own database role and an SQL prompt. Whatever they write into the journal or its
 * copies: the tool server gets only what was shown and approved by people who may approve, and `audit verify` names the
 * change.
 */
import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { createId } from "@/lib/ids";
import { driveRun } from "@/lib/runs/worker/drive-run";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, openEngineBench } from "@/lib/testing/engine-bench";
import { findCandidate } from "@/lib/testing/find-candidate";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
afterEach(() => releaseAll());
/** Writes like the application itself: with its role, over its connection. */
const sql = <T = unknown[]>(strings: TemplateStringsArray, ...values: unknown[]): Promise<T> =>
  database.db.$queryRaw<T>(strings, ...values);

/** The role owns the table, so it can grant itself the right, and switch the guards off. */
async function tamper(work: () => Promise<unknown>): Promise<void> {
  await sql`GRANT UPDATE, DELETE ON journal, journal_other TO CURRENT_USER`;
  await sql`ALTER TABLE journal DISABLE TRIGGER USER`;
  await work();
  await sql`ALTER TABLE journal ENABLE TRIGGER USER`;
  await sql`REVOKE UPDATE, DELETE ON journal, journal_other FROM CURRENT_USER`;
}

const PAY =
  'agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: { told: "{{ results.t-none }}" } }\n';
const ASKED = "- name: t-none\n  require_approval: { reason: big }\n- name: echo\n  require_approval: { reason: big }";
const SENT = [{ tool: "t-none", arguments: { amount: 5000 } }];

async function asked(facts: Partial<BenchFacts> = {}) {
  const bench = await openEngineBench(database, { script: PAY, allowlist: ASKED, ...facts });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  const findings = async () =>
    (await verifyAudit(bench.deps)).findings
      .filter(({ row }) => row.startsWith(runId))
      .map(({ row, problem }) => `${row.slice(runId.length + 1)}: ${problem}`);
  const sent = async () =>
    (await bench.recorder.calls()).map(({ tool, arguments: args }) => ({ tool, arguments: args }));
  const trail = async () => {
    const rows = await database.db.journal.findMany({ where: { runId }, orderBy: { seq: "asc" } });
    return rows.flatMap(
      ({ body }) => (JSON.parse(body) as { events: { type: string; data: Record<string, unknown> }[] }).events,
    );
  };
  /** Like a worker that finds the run and resumes it from the record. */
  const advance = async () => {
    await sql`UPDATE runs SET wake_at = ${bench.clock.now()} WHERE id = ${runId} AND lease_owner IS NULL`;
    const candidate = await findCandidate(database.db, runId);
    const stop = new AbortController();
    const active = {
      lease: null,
      knownSeq: () => 0,
      renewedAt: performance.now(),
      wake: async () => undefined,
      stop,
      ended: Promise.resolve(),
    };
    await driveRun(bench.deps, { candidate: candidate!, owner: createId("worker") }, active);
  };
  return { bench, runId, approval: approval!, callId: approval!.callId, findings, sent, trail, advance };
}

type Asked = Awaited<ReturnType<typeof asked>>;

/**
 * Nothing was sent, the run has ended with an incident on its trail, nobody is asked any more, and verification names
 * it.
 */
async function expectStopped({ sent, trail, findings, bench, runId }: Asked): Promise<void> {
  expect(await sent()).toEqual([]);
  expect(await trail()).toContainEqual(
    expect.objectContaining({ type: "run.failed", data: expect.objectContaining({ code: "record_changed" }) }),
  );
  expect((await bench.read(runId)).status).toBe("failed");
  expect(await database.db.approval.count({ where: { runId, status: "pending" } })).toBe(0);
  expect((await findings()).join("\n")).toMatch(/^run: its record was changed by hand, which stopped it/m);
}

async function replaceIn(
  column: "data" | "body",
  { runId }: Asked,
  [from, to]: readonly [string, string],
): Promise<void> {
  const statement = `UPDATE journal SET ${column} = replace(${column}, $1, $2) WHERE run_id = $3 AND strpos(${column}, $1) > 0`;
  expect(await database.db.$executeRawUnsafe(statement, from, to, runId)).toBeGreaterThan(0);
}

/** Is in the data of a call; text inserted before it is read as part of the call, instead of what its event says. */
const TRACE = '"trace":';

describe("in the journal, after people have approved", () => {
  test.each([
    ["another tool", [TRACE, `"tool":"echo",${TRACE}`]],
    ["other arguments", ['"arguments":{"amount":5000}', '"arguments":{"amount":1}']],
    ["arguments that are no JSON", [TRACE, `"argumentsCanonical":"{\\"amount\\":",${TRACE}`]],
    ["a rule that asks for nobody", ['"rule":{', '"minApprovals":0,"rule":{']],
  ] as const)(
    verifies("audit:rows-against-seals", "%s in the changes that a run is folded from: nothing is sent"),
    async (_what, change) => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await tamper(() => replaceIn("data", it, change));
      await it.advance();
      await expectStopped(it);
      expect((await it.findings()).join("\n")).toMatch(/^row \d+: its data was changed/m);
    },
  );

  test(
    verifies(
      "audit:rows-against-seals",
      "other arguments with every digest and hash adjusted are not sent: the seal does not match",
    ),
    async () => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await tamper(async () => {
        const [forged] = await sql<
          { digest: string }[]
        >`SELECT 'sha256:' || encode(sha256('{"amount":1}'), 'hex') AS digest`;
        const [call] = (await it.bench.read(it.runId)).calls;
        await replaceIn("body", it, [call!.digest, forged!.digest]);
        await replaceIn("data", it, ['"arguments":{"amount":5000}', '"arguments":{"amount":1}']);
        await sql`UPDATE journal SET body = regexp_replace(body, '"data":"[0-9a-f]{64}"', '"data":"' || encode(sha256(convert_to(data, 'UTF8')), 'hex') || '"')
        WHERE run_id = ${it.runId}`;
        await sql`WITH RECURSIVE linked AS (
          SELECT seq, sha256(mac || convert_to(body, 'UTF8')) AS hash FROM journal WHERE run_id = ${it.runId} AND seq = 1
          UNION ALL SELECT j.seq, sha256(l.hash || j.mac || convert_to(j.body, 'UTF8'))
          FROM linked l JOIN journal j ON j.run_id = ${it.runId} AND j.seq = l.seq + 1
        ) UPDATE journal SET hash = linked.hash FROM linked WHERE journal.run_id = ${it.runId} AND journal.seq = linked.seq`;
        await sql`UPDATE runs SET head = (SELECT hash FROM journal WHERE run_id = ${it.runId} ORDER BY seq DESC LIMIT 1) WHERE id = ${it.runId}`;
      });
      await it.advance();
      await expectStopped(it);
      expect((await it.findings()).join("\n")).toMatch(/^row \d+: its seal is not Kimitsu's/m);
    },
  );

  test(verifies("audit:rows-against-seals", "a trail from which a row was removed lets nothing through"), async () => {
    const it = await asked();
    await it.bench.decide(it.approval, "approved");
    await tamper(() => sql`DELETE FROM journal WHERE run_id = ${it.runId} AND seq = 2`);
    await it.advance();
    await expectStopped(it);
    expect(await it.findings()).toContain("row 3: row 2 is missing before it");
  });

  test(
    verifies(
      "audit:rows-against-seals",
      "a call that was executed is not executed again because rows say that the run waits",
    ),
    async () => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await it.advance();
      expect(await it.sent()).toEqual(SENT);
      await sql`UPDATE runs SET status = 'pending_approval', completed_at = NULL, output = NULL WHERE id = ${it.runId}`;
      await sql`UPDATE calls SET status = 'approved', completed_at = NULL, executing_at = NULL, result = NULL WHERE id = ${it.callId}`;
      await it.advance();
      expect(await it.sent()).toEqual(SENT);
      expect((await it.findings()).join("\n")).toContain(
        `${it.callId}: its status is approved on the row and succeeded on the sealed trail`,
      );
    },
  );
});

describe("in the journal, before people have approved", () => {
  test(
    verifies(
      "audit:rows-against-seals",
      "what is sent cannot be changed behind what is shown: it is neither approved nor sent",
    ),
    async () => {
      const it = await asked();
      await tamper(() => replaceIn("data", it, [TRACE, `"argumentsCanonical":"{\\"amount\\":9}",${TRACE}`]));
      await it.advance();
      await expectStopped(it);
      await expect(it.bench.decide(it.approval, "approved")).rejects.toThrow(/was changed in the database/);
    },
  );

  test(
    verifies(
      "audit:rows-against-seals",
      "an approval of another run does not count for this one, unchanged or with the names replaced",
    ),
    async () => {
      for (const isReplaced of [false, true]) {
        const it = await asked();
        const other = await it.bench.launch();
        const [approval] = await it.bench.pending(other);
        await it.bench.decide(approval!, "approved");
        const [from] = await sql<{ body: string; data: string }[]>`SELECT body, data FROM journal
        WHERE run_id = ${other} AND body LIKE '%approval.decided%'`;
        const pairs = [
          [approval!.callId, it.callId],
          [approval!.id, it.approval.id],
          [other, it.runId],
        ] as const;
        const replaced = (text: string) =>
          isReplaced ? pairs.reduce((sum, [old, own]) => sum.replaceAll(old, own), text) : text;
        await sql`WITH end_of AS (SELECT seq, head FROM runs WHERE id = ${it.runId}), added AS (
          INSERT INTO journal (run_id, seq, at, body, mac, hash, data)
          SELECT ${it.runId}, e.seq + 1, j.at, ${replaced(from!.body)}, j.mac,
            sha256(e.head || j.mac || convert_to(${replaced(from!.body)}, 'UTF8')), ${replaced(from!.data)}
          FROM journal j, end_of e WHERE j.run_id = ${other} AND j.body LIKE '%approval.decided%' RETURNING seq, hash)
        UPDATE runs SET seq = added.seq, head = added.hash FROM added WHERE id = ${it.runId}`;
        await it.advance();
        await expectStopped(it);
        expect((await it.findings()).join("\n")).toMatch(
          isReplaced ? /its seal is not Kimitsu's/ : /its column (chain|seq) was changed/,
        );
      }
    },
  );
});

describe("in the rows that are copies", () => {
  test(
    verifies(
      "audit:rows-against-seals",
      "another tool, other arguments and another result in a projection are named, and what was approved is what is sent",
    ),
    async () => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      const zeros = `sha256:${"0".repeat(64)}`;
      await sql`UPDATE calls SET tool = 'echo', arguments_canonical = '{"amount":1}', digest = ${zeros} WHERE id = ${it.callId}`;
      expect(await it.findings()).toEqual(
        expect.arrayContaining([
          `${it.callId}: its tool is echo on the row and t-none on the sealed trail`,
          expect.stringMatching(new RegExp(`^${it.callId}: no event tells of these arguments`)),
        ]),
      );
      await it.advance();
      expect(await it.sent()).toEqual(SENT);
      await sql`UPDATE calls SET result = jsonb_set(result, '{output}', '"paid to someone else"') WHERE id = ${it.callId}`;
      expect((await it.findings()).join("\n")).toMatch(new RegExp(`^${it.callId}: its result`, "m"));
    },
  );

  const GRANTED: [what: string, change: string, problem: string][] = [
    ["tool", "tool = 'echo'", "its tool is echo on the row and t-none on the sealed trail"],
    ["digest", `digest = 'sha256:${"0".repeat(64)}'`, "its arguments are not the sealed ones"],
    ["status", "status = 'cancelled'", "its status is cancelled on the row and approved on the sealed trail"],
    ["approvals", "approvals = 2", "its approvals is 2 on the row and 1 on the sealed trail"],
    ["version", "version = version + 1", "its version is 3 on the row and 2 on the sealed trail"],
    ["question_digest", "question_digest = NULL", "what it shows is not what was sealed"],
  ];

  test.each([...GRANTED, ["summary", "summary = 'Pay five'", "what it shows is not what was sealed"]])(
    verifies(
      "audit:rows-against-seals",
      "another %s on the row of a granted approval stops the run: nothing is sent, nobody is asked again, and it is named",
    ),
    async (what, change, problem) => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await database.db.$executeRawUnsafe(`UPDATE approvals SET ${change} WHERE id = '${it.approval.id}'`);
      await it.advance();
      await expectStopped(it);
      expect((await it.trail()).map(({ type }) => type)).not.toContain("call.asked_again");
      expect((await it.findings()).join("\n")).toContain(`of question ${it.approval.id}, ${problem}`);
      expect((await it.findings()).join("\n")).toMatch(new RegExp(`^${it.approval.id}: .*its ${what} is`, "m"));
    },
  );

  test.each(GRANTED)(
    verifies(
      "audit:rows-against-seals",
      "another %s on it right before the call, under a worker that has read it, stops the run too",
    ),
    async (_what, change, problem) => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      const hold = holdAt("dispatch-call:before-executing-commit", { subject: it.callId });
      const advanced = it.advance();
      const held = await hold.reached();
      await database.db.$executeRawUnsafe(`UPDATE approvals SET ${change} WHERE id = '${it.approval.id}'`);
      held.release();
      await advanced;
      await expectStopped(it);
      expect((await it.findings()).join("\n")).toContain(`of question ${it.approval.id}, ${problem}`);
    },
  );

  test(verifies("audit:rows-against-seals", "a granted approval whose row is gone stops the run"), async () => {
    const it = await asked();
    await it.bench.decide(it.approval, "approved");
    await sql`DELETE FROM decisions WHERE approval_id = ${it.approval.id}`;
    await sql`DELETE FROM approvals WHERE id = ${it.approval.id}`;
    await it.advance();
    await expectStopped(it);
    expect((await it.findings()).join("\n")).toContain(`of question ${it.approval.id}, the row is gone`);
  });

  const COLUMNS: [column: string, change: string][] = [
    ["status", "status = 'needs_human_review'"],
    ["workflow", "workflow = 'other'"],
    ["version", "version = '9'"],
    ["started_by_kind", "started_by_kind = 'token'"],
    ["started_by_id", "started_by_id = 'someone'"],
    ["started_by_name", "started_by_name = 'Someone'"],
    ["cost_budget_usd", "cost_budget_usd = 1000"],
    ["active_ms", "active_ms = active_ms + 60000"],
    ["tool_calls", "tool_calls = 0"],
    ["llm_calls", "llm_calls = 9"],
  ];

  test.each(COLUMNS)(
    verifies("audit:rows-against-seals", "another %s on the row of a run stops it before its granted call is sent"),
    async (column, change) => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await database.db.$executeRawUnsafe(`UPDATE runs SET ${change} WHERE id = '${it.runId}'`);
      await it.advance();
      await expectStopped(it);
      expect((await it.findings()).join("\n")).toMatch(new RegExp(`^run: .*which stopped it.*its ${column} is `, "m"));
    },
  );

  test.each([1, -1])(
    verifies("audit:rows-against-seals", "a row that names another end of its journal (%i) stops the run"),
    async (by) => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      await sql`UPDATE runs SET seq = seq + ${by} WHERE id = ${it.runId}`;
      await it.advance();
      expect(await it.sent()).toEqual([]);
      expect((await it.bench.read(it.runId)).status).toBe("failed");
      expect((await it.trail()).at(-1)).toMatchObject({ type: "run.failed", data: { code: "record_changed" } });
      expect((await it.findings()).join("\n")).toMatch(by > 0 ? /is missing before it/ : /^run: .*which stopped it/m);
    },
  );

  test(
    verifies("audit:rows-against-seals", "another status under a worker that has the run stops it before the call"),
    async () => {
      const it = await asked();
      await it.bench.decide(it.approval, "approved");
      const hold = holdAt("dispatch-call:before-executing-commit", { subject: it.callId });
      const advanced = it.advance();
      const held = await hold.reached();
      await sql`UPDATE runs SET status = 'pending_approval' WHERE id = ${it.runId}`;
      held.release();
      await advanced;
      await expectStopped(it);
    },
  );

  test(
    verifies(
      "promise:1",
      verifies(
        "audit:rows-against-seals",
        "a call that rows show as approved is not sent without a sealed decision, whatever else they say",
      ),
    ),
    async () => {
      for (const status of ["pending", "cancelled", "approved"]) {
        const it = await asked();
        await sql`UPDATE calls SET status = 'approved' WHERE id = ${it.callId}`;
        if (status === "approved") await forgeDecision(it, (await it.bench.person("reviewer")).userId);
        if (status === "cancelled")
          await sql`UPDATE approvals SET status = 'cancelled', decided_at = now() WHERE id = ${it.approval.id}`;
        expect((await it.findings()).join("\n")).toContain(`${it.callId}: its status is approved on the row`);
        await it.advance();
        expect(await it.sent()).toEqual([]);
        if (status !== "pending") await expectStopped(it);
      }
    },
  );

  test(
    verifies("audit:rows-against-seals", "an approval of another call of the same run does not count for this one"),
    async () => {
      const call = (amount: number) => `{ tool: t-none, arguments: { amount: ${amount} } }`;
      const script = `agents:\n  worker:\n    turns:\n      - call: [${call(1)}, ${call(2)}]\n    otherwise: { output: {} }\n`;
      const it = await asked({ script });
      const other = (await it.bench.pending(it.runId))[1]!;
      await it.bench.decide(other, "approved");
      await forgeDecision(it, (await it.bench.person()).userId);
      await it.advance();
      expect((await it.sent()).filter(({ arguments: args }) => (args as { amount: number }).amount === 1)).toEqual([]);
      expect((await it.findings()).join("\n")).toContain(it.approval.id);
    },
  );

  test(
    verifies(
      "audit:rows-against-seals",
      "what is shown cannot be changed under a reviewer, not even for the moment in which they look",
    ),
    async () => {
      const it = await asked();
      await sql`UPDATE calls SET arguments = '{"amount":5}' WHERE id = ${it.callId}`;
      const [shown] = await it.bench.pending(it.runId);
      expect(shown!.arguments).toEqual({ amount: 5000 });
      await sql`UPDATE approvals SET summary = 'Pay five' WHERE id = ${it.approval.id}`;
      await expect(it.bench.decide(shown!, "approved")).rejects.toThrow(
        /was changed in the database: what it shows is not what was sealed/,
      );
      expect((await it.findings()).join("\n")).toContain(it.approval.id);
      await sql`UPDATE approvals SET summary = ${shown!.summary} WHERE id = ${it.approval.id}`;
      expect(await it.trail()).toContainEqual(
        expect.objectContaining({
          type: "approval.mismatched",
          data: expect.objectContaining({ approval_id: it.approval.id }),
        }),
      );
      expect(await it.bench.decide(shown!, "approved")).toBe("approved");
      await it.advance();
      expect(await it.sent()).toEqual(SENT);
      expect((await it.findings()).join("\n"), "what was found stays found").toMatch(
        new RegExp(`^${it.callId}: its record was changed by hand`, "m"),
      );
    },
  );

  test(
    verifies("audit:rows-against-seals", "an approval whose row has another digest can be rejected, but not approved"),
    async () => {
      const it = await asked();
      await sql`UPDATE approvals SET digest = ${`sha256:${"0".repeat(64)}`} WHERE id = ${it.approval.id}`;
      await expect(it.bench.decide(it.approval, "approved")).rejects.toThrow(/its arguments are not the sealed ones/);
      expect(await it.bench.decide(it.approval, "rejected", { reason: "odd" })).toBe("rejected");
      await it.advance();
      expect(await it.sent()).toEqual([]);
    },
  );
});

describe("who may approve", () => {
  test(
    verifies(
      "audit:rows-against-seals",
      "the person who started the run cannot approve because they were removed from the row",
    ),
    async () => {
      const it = await asked();
      const starter: DecidedBy = { ...(await it.bench.person("admin")), userId: TEST_ACTOR.id };
      await sql`UPDATE runs SET started_by_user_id = NULL, started_by_id = 'someone', started_by_name = 'Someone' WHERE id = ${it.runId}`;
      await expect(it.bench.decide(it.approval, "approved", { by: starter })).rejects.toThrow(
        /Whoever started a run cannot decide|was changed in the database/,
      );
      expect(await database.db.decision.count({ where: { approvalId: it.approval.id } })).toBe(0);
      expect((await it.findings()).join("\n")).toMatch(/^run: its started_by_user_id is not set on the row/m);
      await it.advance();
      await expectStopped(it);
    },
  );

  test(
    verifies("audit:rows-against-seals", "fewer approvals or other approvers on the row do not make it easier"),
    async () => {
      const it = await asked({
        allowlist: "- name: t-none\n  require_approval: { min_approvals: 2, approvers: [admin] }",
      });
      const admin = () => it.bench.person("admin");
      await sql`UPDATE approvals SET min_approvals = 1 WHERE id = ${it.approval.id}`;
      await expect(it.bench.decide(it.approval, "approved", { by: await admin() })).rejects.toThrow(
        /its min_approvals is 1 on the row and 2 on the sealed trail/,
      );
      await sql`UPDATE approvals SET min_approvals = 2, approvers = '{}' WHERE id = ${it.approval.id}`;
      await expect(it.bench.decide(it.approval, "approved")).rejects.toThrow(
        /its approvers is any reviewer on the row and admin on the sealed trail/,
      );
      expect(await it.findings()).toContain(
        `${it.approval.id}: its approvers is any reviewer on the row and admin on the sealed trail`,
      );
      await sql`UPDATE approvals SET approvers = '{admin}', self_approval = true WHERE id = ${it.approval.id}`;
      await expect(it.bench.decide(it.approval, "approved", { by: await admin() })).rejects.toThrow(
        /its self_approval is true on the row/,
      );
      await sql`UPDATE approvals SET self_approval = false WHERE id = ${it.approval.id}`;
      expect(await it.bench.decide(it.approval, "approved", { by: await admin() })).toBe("pending");
      await sql`UPDATE approvals SET status = 'approved', min_approvals = 1, decided_at = now() WHERE id = ${it.approval.id}`;
      await sql`UPDATE calls SET status = 'approved' WHERE id = ${it.callId}`;
      expect(await it.findings()).toContain(
        `${it.approval.id}: its status is approved on the row and pending on the sealed trail`,
      );
      await it.advance();
      await expectStopped(it);
    },
  );
});

test(
  verifies(
    "audit:rows-against-seals",
    "a run without a trail, steps, turns, decisions and a run's own row are compared as well",
  ),
  async () => {
    const it = await asked();
    await it.bench.decide(it.approval, "approved");
    await it.advance();
    expect(await it.findings()).toEqual([]);
    await sql`UPDATE steps SET output = '{"told":"nothing"}' WHERE run_id = ${it.runId}`;
    await sql`UPDATE turns SET response = jsonb_set(response, '{text}', '"I said nothing"') WHERE run_id = ${it.runId} AND number = 1`;
    await sql`UPDATE runs SET output = '{"other":true}' WHERE id = ${it.runId}`;
    await sql`UPDATE decisions SET user_id = (SELECT id FROM users WHERE id <> user_id LIMIT 1) WHERE approval_id = ${it.approval.id}`;
    const named = (await it.findings()).join("\n");
    expect(named).toMatch(/^step_\S+: its output/m);
    expect(named).toMatch(/^turn_\S+: its response/m);
    expect(named).toMatch(/^run: its output/m);
    expect(named).toMatch(/^dec_\S+: its user_id/m);
    const bare = createId("run");
    await sql`INSERT INTO runs (id, workflow, version, config_hash, started_by_kind, started_by_id, started_by_name, params, head, created_at, updated_at)
    SELECT ${bare}, workflow, version, config_hash, started_by_kind, started_by_id, started_by_name, params, '', created_at, updated_at
    FROM runs WHERE id = ${it.runId}`;
    expect((await verifyAudit(it.bench.deps)).findings).toContainEqual(
      expect.objectContaining({ row: `${bare} run`, problem: expect.stringContaining("no event tells of this run") }),
    );
  },
);

async function forgeDecision(it: Asked, userId: string): Promise<void> {
  await sql`INSERT INTO decisions (id, approval_id, user_id, verdict, digest, created_at)
    VALUES (${createId("decision")}, ${it.approval.id}, ${userId}, 'approved', ${it.approval.digest}, ${it.bench.clock.now()})`;
  await sql`UPDATE approvals SET status = 'approved', approvals = 1, decided_at = ${it.bench.clock.now()} WHERE id = ${it.approval.id}`;
  await sql`UPDATE calls SET status = 'approved' WHERE id = ${it.callId}`;
}
