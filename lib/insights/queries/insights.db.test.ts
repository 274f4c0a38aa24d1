import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { UNREJECTED_RULE_APPROVALS_MIN } from "@/lib/limits";
import { NO_VERDICTS, getVerdicts } from "@/lib/insights/queries/get-verdicts";
import { listModelCosts, listWorkflowCosts } from "@/lib/insights/queries/list-costs";
import { listExpiries } from "@/lib/insights/queries/list-expiries";
import { listQuickApprovals } from "@/lib/insights/queries/list-quick-approvals";
import { listReviewerVerdicts } from "@/lib/insights/queries/list-reviewer-verdicts";
import { listToolVerdicts } from "@/lib/insights/queries/list-tool-verdicts";
import { listUnrejectedRules } from "@/lib/insights/queries/list-unrejected-rules";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { buildPastRun, type PastCall } from "@/lib/testing/past";

const database = useDatabase();
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const FIRST = new Date("2025-03-01T00:00:00Z");
const starts = [0, 1, 2].map((day) => new Date(FIRST.getTime() + day * DAY_MS));
const span = { from: FIRST, to: new Date(FIRST.getTime() + 3 * DAY_MS), limit: 10 };

const call = (facts: Partial<PastCall>): PastCall => ({
  server: "shop",
  tool: "refund",
  askedAt: FIRST,
  tookMs: 10 * SECOND_MS,
  outcome: "approved",
  ...facts,
});
const fill = (calls: PastCall[], at = FIRST) => buildPastRun(database.db, { workflow: "main", at, calls });

describe("figures over a time span", () => {
  test(
    verifies(
      "insights:figures",
      "count what ended within it, by part, and leave out what is before, after, or was withdrawn",
    ),
    async () => {
      const ana = (await buildUser(testDeps(database), "reviewer", { name: "Ana" })).id;
      const jo = (await buildUser(testDeps(database), "reviewer", { name: "Jo" })).id;
      const second = starts[1]!;
      await fill([
        call({ by: [ana], tookMs: 10 * SECOND_MS }),
        call({ by: [ana], tookMs: 20 * SECOND_MS }),
        call({ by: [jo], tookMs: 60 * SECOND_MS, outcome: "rejected" }),
        call({ outcome: "cancelled" }),
        // Asked on the first day, decided on the second: it counts where it was decided.
        call({
          askedAt: new Date(second.getTime() - 1),
          tookMs: 1,
          outcome: "expired",
          tool: "delete",
          approvers: ["privacy"],
        }),
        call({ askedAt: new Date(FIRST.getTime() - 1), tookMs: 0, by: [ana] }),
        call({ askedAt: span.to, tookMs: 0, by: [ana] }),
      ]);
      const { whole, parts } = await getVerdicts(database.db, { ...span, starts });
      expect(whole).toEqual({
        approved: 2,
        rejected: 1,
        expired: 1,
        p50Ms: 20 * SECOND_MS,
        p90Ms: expect.closeTo(52 * SECOND_MS),
      });
      expect(parts).toEqual([{ ...whole, expired: 0 }, { ...NO_VERDICTS, expired: 1 }, NO_VERDICTS]);

      expect(await listToolVerdicts(database.db, span)).toMatchObject({
        total: 2,
        items: [
          { server: "shop", tool: "refund", approved: 2, rejected: 1, expired: 0 },
          { tool: "delete", approved: 0, expired: 1, p50Ms: null },
        ],
      });
      expect(await listToolVerdicts(database.db, { ...span, limit: 1 })).toMatchObject({
        total: 2,
        items: [{ tool: "refund" }],
      });
      expect(await listExpiries(database.db, span)).toEqual([
        { server: "shop", tool: "delete", approvers: ["privacy"], expired: 1, shortestMs: 1, lastAt: second },
      ]);
      expect((await listReviewerVerdicts(database.db, span)).items).toMatchObject([
        { id: ana, name: "Ana", approved: 2, rejected: 0, p50Ms: 15 * SECOND_MS },
        { id: jo, name: "Jo", approved: 0, rejected: 1, p50Ms: 60 * SECOND_MS },
      ]);
    },
  );

  test(verifies("insights:figures", "add up cost and tokens by workflow and by model"), async () => {
    const at = new Date("2025-04-01T12:00:00Z");
    const april = { from: new Date("2025-04-01"), to: new Date("2025-05-01"), limit: 10 };
    const turn = { model: "a/large", tokensIn: 1000, tokensOut: 10, costUsd: 0.25 };
    await buildPastRun(database.db, {
      workflow: "dear",
      at,
      turns: [turn, { ...turn, model: "a/small", costUsd: 0.000001 }],
    });
    await buildPastRun(database.db, { workflow: "dear", at, status: "failed", turns: [turn] });
    await buildPastRun(database.db, { workflow: "cheap", at });
    expect(await listWorkflowCosts(database.db, april)).toEqual({
      total: 2,
      sum: { runs: 3, failed: 1, tokensIn: 3000, tokensOut: 30, costUsd: 0.500001 },
      items: [
        { name: "dear", runs: 2, failed: 1, tokensIn: 3000, tokensOut: 30, costUsd: 0.500001 },
        { name: "cheap", runs: 1, failed: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 },
      ],
    });
    expect(await listModelCosts(database.db, { ...april, limit: 1 })).toEqual({
      total: 2,
      sum: { turns: 3, tokensIn: 3000, tokensOut: 30, costUsd: 0.500001 },
      items: [{ name: "a/large", turns: 2, tokensIn: 2000, tokensOut: 20, costUsd: 0.5 }],
    });
  });

  test(
    verifies("insights:rules", "a rule is listed with its line when it asked often and nobody ever rejected"),
    async () => {
      const by = [(await buildUser(testDeps(database), "reviewer")).id];
      const may = { from: new Date("2025-05-01"), to: new Date("2025-06-01"), limit: 10 };
      const at = new Date("2025-05-02");
      const often = (facts: Partial<PastCall>, count = UNREJECTED_RULE_APPROVALS_MIN) =>
        Array.from({ length: count }, () => call({ askedAt: at, by, ...facts }));
      await fill([
        ...often({ line: 11 }),
        ...often({ line: 11, tool: "refund-part" }, 1),
        ...often({ line: 22 }),
        call({ askedAt: at, by, line: 22, outcome: "rejected" }),
        ...often({ line: 33 }, UNREJECTED_RULE_APPROVALS_MIN - 1),
      ]);
      expect(await listUnrejectedRules(database.db, may)).toEqual([
        {
          source: "agents/worker.agent.yaml:11",
          reason: "Asked by line 11",
          agents: ["worker"],
          tools: ["shop.refund", "shop.refund-part"],
          approved: UNREJECTED_RULE_APPROVALS_MIN + 1,
        },
      ]);
    },
  );

  test(
    verifies(
      "insights:quick",
      "only approvals of high and critical calls within seconds are listed as very quick, each with its person",
    ),
    async () => {
      const { id, name } = await buildUser(testDeps(database), "reviewer", { name: "Quick" });
      const june = { from: new Date("2025-06-01"), to: new Date("2025-07-01"), limit: 1 };
      const at = new Date("2025-06-02");
      const quick = (facts: Partial<PastCall>) =>
        call({ askedAt: at, by: [id], danger: "critical", tookMs: 2 * SECOND_MS, ...facts });
      await fill([
        quick({}),
        quick({ danger: "high", askedAt: new Date(at.getTime() + 1), tool: "last" }),
        quick({ danger: "medium" }),
        quick({ outcome: "rejected" }),
        quick({ tookMs: 5 * SECOND_MS }),
      ]);
      expect(await listQuickApprovals(database.db, june)).toMatchObject({
        total: 2,
        items: [{ tool: "last", danger: "high", by: name, tookMs: 2 * SECOND_MS }],
      });
      expect((await listReviewerVerdicts(database.db, june)).items).toMatchObject([
        { id, approved: 4, rejected: 1, quick: 2 },
      ]);
    },
  );

  test(verifies("insights:figures", "are read from indexes alone, however large the tables grow"), async () => {
    await database.db.$transaction(async (tx) => {
      // On tables of a few rows a sequential scan is right; this only checks whether the index could answer.
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
      await tx.$executeRaw`SET LOCAL enable_bitmapscan = off`;
      const plan = async (query: string) => JSON.stringify(await tx.$queryRawUnsafe(`EXPLAIN ${query}`));
      const within = (column: string) => `${column} >= '2025-03-01' AND ${column} < '2025-03-04'`;
      expect(
        await plan(`SELECT status, danger, server, tool, created_at, id FROM approvals WHERE ${within("decided_at")}`),
      ).toContain("Index Only Scan using approvals_decided");
      expect(await plan(`SELECT approval_id, user_id, verdict FROM decisions WHERE ${within("created_at")}`)).toContain(
        "Index Only Scan using decisions_by_time",
      );
      expect(
        await plan(`SELECT model, tokens_in, tokens_out, cost_usd FROM turns WHERE ${within("created_at")}`),
      ).toContain("Index Only Scan using turns_by_time");
    });
  });
});
