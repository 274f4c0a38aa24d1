import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { ROLES } from "@/lib/people/rules/roles";
import { Prisma } from "@/lib/database/generated/client";
import { COUNT_MAX, countPending, getInboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { type InboxSort, listInbox, parseCursor } from "@/lib/approvals/queries/list-inbox";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";
const reader = { userId: "usr_reader", role: "reviewer" as const, groups: [] as string[] };
const LEVELS = ["critical", "medium", "high", "high", "medium", "safe", "critical"] as const;

/** Seven pending calls of every kind, some without an expiry, two that expire at the same moment. */
async function fill() {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big }",
  });
  const ids: string[] = [];
  for (const [index, danger] of LEVELS.entries()) {
    const [approval] = await bench.pending(await bench.launch());
    const expiresAt =
      index % 3 === 0 ? null : new Date(bench.clock.now().getTime() + (index === 4 ? 1 : index) * 60_000);
    await database.db.approval.update({ where: { id: approval!.id }, data: { danger, expiresAt } });
    ids.push(approval!.id);
  }
  return { bench, ids };
}

async function readAll(sort: InboxSort, limit: number, text?: string) {
  const rows = [];
  for (let cursor: string | undefined; ;) {
    const page = await listInbox(database.db, reader, {
      sort,
      limit,
      text,
      cursor: cursor === undefined ? undefined : parseCursor(cursor),
    });
    rows.push(...page.items);
    if (page.nextCursor === null) return rows;
    cursor = page.nextCursor;
  }
}

/** Copies the run's first pending call this many times; a lower digit makes the copies older. */
async function copyPending(runId: string, digit: string, count: number): Promise<void> {
  const idOf = (prefix: string) => Prisma.sql`${`${prefix}_${digit}`} || lpad(n::text, 25, '0')`;
  await database.db.$executeRaw`
    INSERT INTO calls SELECT copy.* FROM (SELECT * FROM calls WHERE run_id = ${runId} ORDER BY id LIMIT 1) AS c, generate_series(1, ${count}::int) AS n,
      jsonb_populate_record(NULL::calls, to_jsonb(c) || jsonb_build_object('id', ${idOf("call")})) AS copy`;
  await database.db.$executeRaw`
    INSERT INTO approvals SELECT copy.* FROM (SELECT * FROM approvals WHERE run_id = ${runId} ORDER BY created_at LIMIT 1) AS a, generate_series(1, ${count}::int) AS n,
      jsonb_populate_record(NULL::approvals, to_jsonb(a) || jsonb_build_object('id', ${idOf("apr")}, 'call_id', ${idOf("call")})) AS copy`;
}

describe("the queue", () => {
  test(
    verifies("inbox:pages", "pages of every order join without gaps or repeats, and filters narrow them"),
    async () => {
      const { ids } = await fill();
      for (const sort of ["expiry", "age", "danger"] as const) {
        const whole = (await readAll(sort, 100)).map((row) => row.id);
        expect(whole.toSorted()).toEqual(ids.toSorted());
        for (const limit of [1, 2, 3]) expect((await readAll(sort, limit)).map((row) => row.id)).toEqual(whole);
      }
      const expiries = (await readAll("expiry", 100)).map((row) => row.expiresAt);
      expect(expiries.slice(0, 4)).toEqual(expiries.filter((at) => at !== null).toSorted());
      expect((await readAll("danger", 2)).map((row) => row.danger)).toEqual([
        "critical",
        "critical",
        "high",
        "high",
        "medium",
        "medium",
        "safe",
      ]);
      expect((await listInbox(database.db, reader, { sort: "age", danger: "high" })).items).toHaveLength(2);
      expect((await listInbox(database.db, reader, { sort: "age", workflow: "other" })).items).toEqual([]);
      expect(await countPending(database.db)).toBe(7);
      expect(await getInboxCounts(database.db, reader, new Date())).toMatchObject({
        all: 7,
        mine: 7,
        critical: 2,
        high: 2,
        workflows: ["main"],
        agents: ["worker"],
        tools: ["recorder.t-none"],
        dangers: { critical: 2, high: 2, medium: 2, safe: 1 },
      });
    },
  );

  test(
    verifies(
      "inbox:pages",
      "what counts as mine is what the eligibility rule allows, for every role, group and starter",
    ),
    async () => {
      const rows = await database.db.approval.findMany({ orderBy: { id: "asc" } });
      const approvers = [[], ["viewer"], ["reviewer"], ["operator"], ["admin"], ["finance"], ["finance", "admin"]];
      for (const [index, row] of rows.entries())
        await database.db.approval.update({
          where: { id: row.id },
          data: { approvers: approvers[index], selfApproval: index % 2 === 0 },
        });
      // The fourth is a retry of the second, which the reader retried for the first one's starter.
      await database.db.run.update({
        where: { id: rows[1]!.runId },
        data: { startedByUserId: "usr_reader", retryOfRunId: rows[0]!.runId },
      });
      await database.db.run.update({
        where: { id: rows[3]!.runId },
        data: { startedByUserId: null, retryOfRunId: rows[1]!.runId },
      });
      const now = await database.db.approval.findMany({
        include: { run: { include: { retryOf: { include: { retryOf: true } } } } },
      });
      const startersOf = ({ run }: (typeof now)[number]) =>
        [run, run.retryOf, run.retryOf?.retryOf].flatMap((each) => each?.startedByUserId ?? []);
      for (const role of ROLES) {
        for (const groups of [[], ["finance"]]) {
          for (const userId of ["usr_reader", TEST_ACTOR.id]) {
            const who = { userId, role, groups };
            const allowed = now
              .filter((row) => refusalToDecide(who, { ...row, starterIds: startersOf(row) }) === null)
              .map((row) => row.id);
            const mine = await listInbox(database.db, who, { sort: "age", mine: true });
            expect(
              mine.items.map((row) => row.id),
              JSON.stringify(who),
            ).toEqual(allowed.toSorted());
            expect((await getInboxCounts(database.db, who, new Date())).mine).toBe(allowed.length);
          }
        }
      }
    },
  );

  test("what a reader has approved as one of several waits for the others, and no longer counts as theirs", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big, min_approvals: 2 }",
    });
    const [approval] = await bench.pending(await bench.launch());
    const [first, second] = [await bench.person(), await bench.person()];
    const look = async (who: typeof first) => ({
      count: (await getInboxCounts(database.db, who, new Date())).mine,
      isListed: (await listInbox(database.db, who, { sort: "age", mine: true })).items.some(
        (row) => row.id === approval!.id,
      ),
    });
    const { count } = await look(first);
    expect(await bench.decide(approval!, "approved", { by: first })).toBe("pending");
    expect(await look(first)).toEqual({ count: count - 1, isListed: false });
    expect(await look(second)).toEqual({ count, isListed: true });
  });

  test("the count of the reader's approvals gets past any number that they cannot decide because they started the run", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const [starter, other] = [await bench.person(), await bench.person()];
    const [own, foreign] = [await bench.launch(), await bench.launch()];
    await database.db.run.update({ where: { id: own }, data: { startedByUserId: starter.userId } });
    // The oldest of all are those that the reader started.
    await copyPending(own, "0", COUNT_MAX * 2);
    await copyPending(foreign, "1", 300);
    const mine = await listInbox(database.db, starter, { sort: "age", mine: true, limit: COUNT_MAX });
    expect(mine.items.length).toBeGreaterThan(300);
    expect((await getInboxCounts(database.db, starter, new Date())).mine).toBe(mine.items.length);
    expect((await getInboxCounts(database.db, other, new Date())).mine).toBe(COUNT_MAX);
    await copyPending(foreign, "2", COUNT_MAX);
    expect((await getInboxCounts(database.db, starter, new Date())).mine).toBe(COUNT_MAX);
  });

  test(
    verifies(
      "inbox:batch",
      "a row says whether a rejection ends the agent's work: by its rule, or because no retry is left",
    ),
    async () => {
      const bench = await openEngineBench(database, {
        script: `agents:\n  worker:\n    turns:\n${[1, 2, 3].map((amount) => `      - call: [{ tool: t-none, arguments: { amount: ${amount} } }]\n`).join("")}`,
        allowlist: "- name: t-none\n  require_approval: { reason: big, on_reject: retry }",
      });
      const runId = await bench.launch();
      const ends = async (id: string) => (await readAll("age", 100)).find((row) => row.id === id)?.endsOnReject;
      const seen: (boolean | undefined)[] = [];
      for (let round = 0; round < 3; round++) {
        const [approval] = await bench.pending(runId);
        seen.push(await ends(approval!.id));
        if (round === 2) break;
        await bench.decide(approval!, "rejected");
        await bench.advance(runId);
      }
      expect(seen).toEqual([false, false, true]);
      const [last] = await bench.pending(runId);
      for (const [onReject, isEnd] of [
        ["fail", true],
        ["recover", false],
        ["skip", false],
        ["degrade", false],
      ] as const) {
        await database.db.approval.update({ where: { id: last!.id }, data: { onReject } });
        expect(await ends(last!.id), onReject).toBe(isEnd);
      }
    },
  );

  test(
    verifies("inbox:folded", "a row says whether its card folds something, whatever the size of its arguments"),
    async () => {
      const bench = await openEngineBench(database, {
        script: PAY,
        allowlist: "- name: t-none\n  require_approval: { reason: big }",
      });
      const [approval] = await bench.pending(await bench.launch());
      const isFolded = async (args: Record<string, string>) => {
        await database.db.call.update({
          where: { id: approval!.callId },
          data: { arguments: args, argumentsCanonical: JSON.stringify(args) },
        });
        return (await readAll("age", 100)).find((row) => row.id === approval!.id)?.isFolded;
      };
      expect(await isFolded({ text: "x".repeat(600) })).toBe(false);
      expect(await isFolded({ text: "x".repeat(601) })).toBe(true);
      expect(await isFolded({ text: "x".repeat(200_000) })).toBe(true);
      await database.db.approval.update({
        where: { id: approval!.id },
        data: { status: "cancelled", decidedAt: new Date() },
      });
    },
  );

  test(
    verifies(
      "inbox:search",
      "a search finds what a row shows and who started it, by whole words or prefixes, all of which must match; a tool filter finds only its own calls",
    ),
    async () => {
      const bench = await openEngineBench(database, {
        script: PAY,
        allowlist: "- name: t-none\n  require_approval: { reason: big }",
      });
      const [one, two] = [await bench.launch(), await bench.launch()];
      const [first, second] = [(await bench.pending(one))[0]!, (await bench.pending(two))[0]!];
      const starter = await buildUser({ db: database.db, now: () => new Date() }, "operator", { name: "Zoë Quandt" });
      await database.db.run.update({
        where: { id: one },
        data: { startedById: starter.id, startedByName: starter.name },
      });
      await database.db.approval.update({
        where: { id: first.id },
        data: { summary: "Refund 196.5 EUR for order A-1042 to ana@customers.example.test", tool: "create.refund" },
      });
      const ids = [first.id, second.id];
      const find = async (query: { text?: string; tool?: string }) =>
        (await listInbox(database.db, reader, { sort: "age", limit: 10_000, ...query })).items
          .map((row) => row.id)
          .filter((id) => ids.includes(id));
      for (const text of [
        "refund",
        "REF order",
        "a-1042",
        "1042",
        "196.5",
        "customers.example",
        "create.refund",
        one,
        one.slice(0, -3),
        first.id,
        "quandt",
        "zo quan refund",
        starter.email,
      ])
        expect(await find({ text }), text).toEqual([first.id]);
      for (const text of ["efund", "refund nowhere", "1043", "quandt t-none"])
        expect(await find({ text }), text).toEqual([]);
      expect(await find({ text: "refund & !order:*" }), "no word is an operator").toEqual([first.id]);
      for (const text of ["worker main", "...", "recorder"]) expect(await find({ text }), text).toEqual(ids);
      expect(await find({ tool: "recorder.t-none" })).toEqual([second.id]);
      expect(await find({ tool: "recorder.create.refund" })).toEqual([first.id]);
      expect(await find({ tool: "recorder" })).toEqual([]);
      expect(await find({ tool: "recorder.t-none", text: "refund" })).toEqual([]);
    },
  );

  test(
    verifies("inbox:search", "someone who started more runs than can be listed is found as well, on every page"),
    async () => {
      const bench = await openEngineBench(database, {
        script: PAY,
        allowlist: "- name: t-none\n  require_approval: { reason: big }",
      });
      const starter = await buildUser({ db: database.db, now: () => new Date() }, "operator", {
        name: "Busy Xylander",
      });
      const own = await bench.launch();
      await database.db
        .$executeRaw`INSERT INTO runs SELECT copy.* FROM (SELECT * FROM runs WHERE id = ${own}) AS r, generate_series(1, 2100) AS n, jsonb_populate_record(NULL::runs, to_jsonb(r) || jsonb_build_object('id', 'run_9' || lpad(n::text, 25, '0'), 'started_by_id', ${starter.id}::text)) AS copy`;
      const [approval] = await bench.pending(own);
      expect((await listInbox(database.db, reader, { sort: "age", text: "xylander" })).items).toEqual([]);
      await database.db.run.update({ where: { id: own }, data: { startedById: starter.id } });
      expect(
        (await listInbox(database.db, reader, { sort: "expiry", text: "xylander" })).items.map((row) => row.id),
      ).toEqual([approval!.id]);
    },
  );

  test(
    verifies("inbox:search", "pages for words that most calls have join without gaps or repeats, in every order"),
    async () => {
      expect(await database.db.approval.count({ where: { status: "pending" } })).toBeGreaterThan(2000);
      for (const sort of ["expiry", "age", "danger"] as const) {
        const whole = (await readAll(sort, 10_000)).filter((row) => row.tool === "t-none").map((row) => row.id);
        expect((await readAll(sort, 700, "recorder none")).map((row) => row.id)).toEqual(whole);
      }
    },
  );
});
