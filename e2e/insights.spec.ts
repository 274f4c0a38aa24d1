import { buildPastRun, type PastCall } from "@/lib/testing/past";
import { examine, LOOKS } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { verifies } from "./requirements";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

// One database serves all tests, so each has a month of the past to itself.

test(
  verifies("insights:figures", "days are the reader's own, and figures link to the runs and events that they count"),
  async ({ open, person, deps }) => {
    const [operator, ana] = [await person("operator"), await person("reviewer")];
    const call = { server: "shop", tool: "issue-refund", tookMs: MINUTE_MS, by: [ana.id] } as const;
    const at = new Date("2025-03-03T16:00:00Z");
    const runId = await buildPastRun(deps.db, {
      workflow: "insights-march",
      at,
      turns: [{ model: "test/large", tokensIn: 1200, tokensOut: 34, costUsd: 0.5 }],
      calls: [
        { ...call, askedAt: at, outcome: "approved" },
        { ...call, askedAt: at, outcome: "rejected" },
        { ...call, askedAt: at, outcome: "expired", by: [], approvers: ["privacy"] },
      ],
    });
    const page = await open(operator, { timezoneId: "Asia/Tokyo" });
    await page.goto("/insights?from=2025-03-02&to=2025-03-05");
    await expect(page.getByText("days in Asia/Tokyo")).toBeVisible();
    await page.getByText("As a table").first().click();
    const days = page.getByRole("region", { name: "Approvals per day" }).getByRole("row");
    // In the afternoon of the third in UTC; in Tokyo it was the fourth already.
    await expect(days.filter({ hasText: "3 Mar" })).toHaveText(/3 Mar\s*0\s*0\s*0/);
    await expect(days.filter({ hasText: "4 Mar" })).toHaveText(/4 Mar\s*1\s*1\s*1/);

    await expect(
      page
        .getByRole("region", { name: "Approval rate per tool", exact: true })
        .getByRole("row", { name: /shop\.issue-refund/ }),
    ).toContainText("50 %");
    await expect(
      page
        .getByRole("region", { name: "Expired without an answer", exact: true })
        .getByRole("row", { name: /issue-refund/ }),
    ).toContainText("privacy");
    await expect(
      page
        .getByRole("region", { name: "Cost and tokens per model", exact: true })
        .getByRole("row", { name: /test\/large/ }),
    ).toContainText("$0.5000");
    await expect(page.getByRole("link", { name: ana.name })).toHaveAttribute(
      "href",
      new RegExp(`^/audit\\?type=approval\\.decided&actor=${ana.id}&from=2025-03-01T15`),
    );
    await page.getByRole("link", { name: "insights-march" }).click();
    await expect(
      page.getByRole("region", { name: "Runs, newest first" }).getByRole("link", { name: new RegExp(runId) }),
    ).toBeVisible();
  },
);

test(
  verifies(
    "insights:rules",
    "a rule that nobody rejected is named with its line, and a very quick approval with its person",
  ),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const at = new Date("2025-05-10T09:00:00Z");
    const calls = Array.from({ length: 6 }, (): PastCall => ({
      server: "shop",
      tool: "close-ticket",
      askedAt: at,
      tookMs: HOUR_MS,
      outcome: "approved",
      by: [ana.id],
      line: 27,
    }));
    await buildPastRun(deps.db, {
      workflow: "insights-may",
      at,
      calls: [
        ...calls,
        {
          server: "shop",
          tool: "delete-customer",
          askedAt: at,
          tookMs: 1500,
          outcome: "approved",
          by: [ana.id],
          danger: "critical",
          line: 39,
        },
      ],
    });
    const page = await open(await person("viewer"));
    await page.goto("/insights?from=2025-05-01&to=2025-05-31");
    const rules = page.getByRole("region", { name: "Rules that never rejected", exact: true }).getByRole("row");
    await expect(rules).toHaveCount(2);
    await expect(rules.last()).toContainText("agents/worker.agent.yaml:27");
    const quick = page.getByRole("region", { name: "Very quick approvals", exact: true }).getByRole("row").last();
    await expect(quick).toContainText("Use delete-customer");
    await expect(quick).toContainText(`${ana.name}`);
    // A viewer cannot open the trail, so nothing links there.
    await expect(page.locator('main a[href^="/audit"]')).toHaveCount(0);
  },
);

test(
  verifies(
    "insights:figures",
    "a period that cannot be read is named, and days without anything say what would be here",
  ),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.goto("/insights?from=2025-13-01&to=2025-12-31");
    await expect(page.getByRole("alert").filter({ hasText: "2025-13-01" })).toContainText("2026-01-31");
    await page.goto("/insights?from=2020-01-01&to=2020-01-07");
    await expect(page.getByText("Nothing happened in these days")).toBeVisible();
    await page.getByRole("link", { name: "7 days", exact: true }).click();
    await expect(page).toHaveURL(/days=7/);
    await page.getByLabel("First day").fill("2020-01-02");
    await page.getByLabel("Last day").fill("2020-01-03");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page.getByText("2 January 2020 to 3 January 2020")).toBeVisible();
  },
);

/**
 * Thirty days of a small team, the same at every run: busy weekdays, quiet weekends, one tool that is often refused.
 */
async function fillJune(deps: Parameters<typeof buildPastRun>[0], people: readonly Person[]): Promise<void> {
  for (let day = 0; day < 30; day++) {
    const noon = new Date(Date.parse("2025-06-01T12:00:00Z") + day * DAY_MS);
    const count = noon.getUTCDay() % 6 === 0 ? day % 2 : 3 + ((day * 7) % 6);
    const calls = Array.from({ length: count }, (_, n): PastCall => {
      const isRefund = n % 3 !== 2;
      const outcome = n === 5 ? "expired" : !isRefund && n % 2 === 0 ? "rejected" : "approved";
      const tookMs = n === 1 && day % 5 === 0 ? 3_000 : (20_000 + n * 47_000) * (1 + (day % 4));
      return {
        server: "shop",
        tool: isRefund ? "issue-refund" : "delete-customer",
        askedAt: new Date(noon.getTime() + n * MINUTE_MS),
        tookMs,
        outcome,
        by: outcome === "expired" ? [] : [people[n % people.length]!.id],
        danger: isRefund ? "high" : "critical",
        line: isRefund ? 31 : 44,
        approvers: isRefund ? ["reviewer"] : ["privacy"],
      };
    });
    const turn = { tokensIn: 1400 + day * 13, tokensOut: 160, costUsd: 0.0123 };
    await buildPastRun(deps, {
      workflow: day % 3 === 0 ? "morning-round" : "support",
      at: noon,
      status: day % 11 === 10 ? "failed" : "complete",
      calls,
      turns: [
        { model: "anthropic/claude-large", ...turn },
        { model: "openai/small", ...turn, costUsd: 0.0009 },
      ],
    });
  }
}

for (const { look, options } of LOOKS) {
  test(
    verifies("ui:accessible", `Insights of a busy month can be read by everyone, ${look}`),
    async ({ open, person, deps }) => {
      // A month of calls is written, and two long pages are looked through.
      await fillJune(deps.db, [await person("reviewer"), await person("reviewer"), await person("operator")]);
      const page = await open(await person("operator"), options);
      await page.goto("/insights?from=2025-06-01&to=2025-06-30");
      await expect(page.getByRole("heading", { name: "Approvals per day" })).toBeVisible();
      await examine(page, `insights-month-${look}`);
      await page.goto("/insights?from=2025-06-02&to=2025-06-08");
      await page.getByText("As a table").first().click();
      await examine(page, `insights-week-${look}`);
    },
  );
}

test(
  verifies("ui:accessible", "Insights of a long period shows weeks, and can be read by everyone"),
  async ({ open, person, deps }) => {
    const at = new Date("2024-03-20T12:00:00Z");
    const by = [(await person("reviewer")).id];
    for (let week = 0; week < 4; week++) {
      const askedAt = new Date(at.getTime() + week * 7 * DAY_MS);
      await buildPastRun(deps.db, {
        workflow: "insights-2024",
        at: askedAt,
        calls: [{ server: "shop", tool: "issue-refund", askedAt, tookMs: MINUTE_MS, outcome: "approved", by }],
      });
    }
    const page = await open(await person("viewer"));
    await page.goto("/insights?from=2024-01-01&to=2024-06-30");
    await expect(page.getByText("Calls were settled on 4 of 26 weeks.")).toBeVisible();
    await examine(page, "insights-half-year");
  },
);
