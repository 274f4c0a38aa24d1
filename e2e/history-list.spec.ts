import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { examine, LOOKS } from "./examine";
import { expect, required, test } from "./fixtures";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";
import { seedRuns } from "./seeded-runs";
import { intercept } from "./intercept";

const rows = (page: Page) =>
  page.getByRole("region", { name: "Runs, newest first" }).locator("tbody tr[aria-rowindex]");
const rowOf = (page: Page, runId: string | undefined) => page.getByRole("link", { name: new RegExp(`run ${runId}`) });
const inPage = (page: Page) => rows(page).count();

async function scrollToEnd(page: Page, says: string): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(page.getByText(says)).toBeInViewport({ timeout: 500 });
  }).toPass();
}

test(
  verifies("history:long", "scrolling loads older runs to the last one, and only rows near the window are rendered"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow, ids } = await seedRuns(deps, operator, 230);
    const page = await open(operator);
    await page.goto(`/history?workflow=${workflow}`);
    await expect(rowOf(page, ids.at(-1))).toBeVisible();
    await scrollToEnd(page, "230 runs, and no older ones.");
    await expect(rowOf(page, ids[0])).toBeInViewport();
    expect(await inPage(page)).toBeLessThan(90);
    await expect(page.getByRole("table")).toHaveAttribute("aria-rowcount", "231");
    await expect(rows(page).last()).toHaveAttribute("aria-rowindex", "231");

    const middle = page.locator('tr[aria-rowindex="121"]');
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
    await expect(middle).toBeInViewport();
    await middle.getByRole("link").click();
    await expect(page).toHaveURL(/\/history\/run_/);
    await page.goBack();
    await expect(middle).toBeInViewport();
    expect(await inPage(page)).toBeLessThan(90);
  },
);

test(
  verifies("history:long", "by keys from row to row, and the row with the focus is not lost when it is scrolled away"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow, ids } = await seedRuns(deps, operator, 120);
    const page = await open(operator);
    await page.goto(`/history?workflow=${workflow}`);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("tr")?.getAttribute("aria-rowindex") ?? null);
    // The footer's text changes when the list is hydrated.
    await expect(page.getByText("50 runs so far; older ones follow.")).toBeAttached();
    await rowOf(page, ids.at(-1)).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("3");
    await scrollToEnd(page, "120 runs, and no older ones.");
    await expect(rowOf(page, ids[0])).toBeInViewport();
    expect(await focused()).toBe("3");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("4");
    await expect(page.locator('tr[aria-rowindex="4"]')).toBeInViewport();
    await page.keyboard.press("End");
    await expect.poll(focused).toBe("121");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`/history/${ids[0]}`);
  },
);

test(
  verifies("history:long", "without scripts it is pages with a link to the next"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow, ids } = await seedRuns(deps, operator, 60);
    const page = await open(operator, { javaScriptEnabled: false });
    await page.goto(`/history?workflow=${workflow}`);
    await expect(rows(page)).toHaveCount(50);
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(rows(page)).toHaveCount(10);
    await expect(rowOf(page, ids[0])).toBeVisible();
    await page.getByRole("link", { name: "First page" }).click();
    await expect(rowOf(page, ids.at(-1))).toBeVisible();
  },
);

test(verifies("history:filters", "cost from and to"), async ({ open, person, deps }) => {
  const operator = await person("operator");
  const { workflow, ids } = await seedRuns(deps, operator, 30);
  const page = await open(operator);
  await page.goto(`/history?workflow=${workflow}`);
  const filter = page.getByRole("search", { name: "Filter runs" }).filter({ visible: true });
  await filter.getByText("Cost, and exact times").click();
  await filter.getByLabel("Cost from ($)").fill("0.01");
  await filter.getByLabel("Cost to ($)").fill("0.012");
  await filter.getByLabel("Cost to ($)").press("Enter");
  await expect(page).toHaveURL(/cost_min=0.01&cost_max=0.012/);
  await expect(rows(page)).toHaveCount(3);
  await expect(rowOf(page, ids[12])).toBeVisible();
  await page.goto("/history?cost_min=free");
  await expect(page.getByRole("alert").filter({ hasText: "free" })).toContainText("0.25");
});

test(
  verifies("console:times", "History accepts times in the reader's zone, and its address means the same elsewhere"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const hours = [9, 11].map((hour) => new Date(Date.UTC(2026, 1, 3, hour)));
    const begunAt = (index: number) => hours[index] ?? deps.now();
    const { workflow, ids } = await seedRuns(deps, operator, { count: hours.length, begunAt });
    const page = await open(operator, { timezoneId: "Asia/Tokyo" });
    await page.goto(`/history?workflow=${workflow}`);
    const filter = page.getByRole("search", { name: "Filter runs" }).filter({ visible: true });
    await expect(filter.getByLabel("From (Tokyo)")).toBeAttached();
    await filter.getByText("Cost, and exact times").click();
    await filter.getByLabel("From (Tokyo)").fill("2026-02-03T19:00");
    await filter.getByRole("button", { name: "Filter" }).click();
    await expect(page).toHaveURL(/from=2026-02-03T10%3A00%3A00.000Z/);
    await expect(rows(page)).toHaveCount(1);
    await expect(rowOf(page, ids[1])).toBeVisible();
    await expect(filter.getByLabel("From (Tokyo)")).toHaveValue("2026-02-03T19:00");
    const other = await open(operator, { timezoneId: "America/New_York" });
    await other.goto(page.url());
    await expect(rows(other)).toHaveCount(1);
    await expect(
      other.getByRole("search", { name: "Filter runs" }).filter({ visible: true }).getByLabel("From (New York)"),
    ).toHaveValue("2026-02-03T05:00");
  },
);

test(
  verifies("console:times", "what a first visitor opens and types before the server knows their zone stays"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow } = await seedRuns(deps, operator, 2);
    const page = await open(operator, { timezoneId: "Asia/Tokyo" });
    const answer = Promise.withResolvers<void>();
    await page.route(
      ({ pathname }) => pathname === "/history",
      async (route) => {
        if (route.request().headers().rsc) await answer.promise;
        await route.continue();
      },
    );
    const asked = page.waitForRequest(
      (request) => request.headers().rsc !== undefined && new URL(request.url()).pathname === "/history",
    );
    await page.goto(`/history?workflow=${workflow}`);
    const filter = page.getByRole("search", { name: "Filter runs" }).filter({ visible: true });
    await asked;
    await filter.getByText("Cost, and exact times").click();
    await filter.getByLabel("Cost from ($)").fill("0.01");
    await filter.getByLabel("From (UTC)").fill("2026-02-03T19:00");
    answer.resolve();
    await expect(filter.getByLabel("From (Tokyo)")).toHaveValue("2026-02-03T19:00");
    await expect(filter.getByLabel("From (Tokyo)")).toBeVisible();
    await expect(filter.getByLabel("Cost from ($)")).toHaveValue("0.01");
  },
);

test(
  verifies(
    "history:about",
    "two runs of one workflow differ by what they wait for or were started with, in History and in the palette; an event by its call",
  ),
  async ({ open, person, deps }) => {
    const [operator, held] = [await person("operator"), await startAndWait(deps, "T-315")];
    const page = await open(operator, { viewport: { width: 1280, height: 900 } });
    await page.goto(`/history?q=${held.runId}`);
    const row = rows(page).first();
    await expect(row).toContainText("Delete customer C-201");
    await expect(row.getByRole("link")).toHaveAttribute("title", /^Delete customer C-201/);
    await page.goto(`/audit?chain=${held.runId}&type=approval.requested`);
    await expect(page.getByRole("region", { name: "Events, newest first" }).locator("summary")).toContainText(
      "shop.delete-customer · Delete customer C-201",
    );
    expect(
      (
        await page.request.post(`/runs/${held.runId}/cancel`, { headers: { origin: required("BASE_URL") }, data: {} })
      ).status(),
    ).toBe(200);
    await page.goto(`/history?q=${held.runId}`);
    await expect(row).toContainText("ticket_id T-315");
    await expect(async () => {
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("combobox", { name: /^Search pages/ })).toBeFocused({ timeout: 1_000 });
    }).toPass();
    await page.keyboard.type(held.runId);
    await expect(page.getByRole("option", { name: new RegExp(`^${held.runId}`) })).toContainText("ticket_id T-315");
  },
);

test(verifies("ui:working", "a filter that is loading says so"), async ({ open, person, deps }) => {
  const operator = await person("operator");
  const { workflow } = await seedRuns(deps, operator, 2);
  const page = await open(operator);
  await page.goto(`/history?workflow=${workflow}`);
  const filter = page.getByRole("search", { name: "Filter runs" }).filter({ visible: true });
  const answer = Promise.withResolvers<void>();
  await intercept(page, /\/history\?.*status=failed/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await filter.getByLabel("Status").selectOption("failed");
  await filter.getByRole("button", { name: "Filter" }).click();
  await expect(filter.getByRole("button", { name: "Filtering…" })).toHaveAttribute("aria-disabled", "true");
  answer.resolve();
  await expect(filter.getByRole("button", { name: "Filter", exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
});

test(
  verifies("history:views", "saved by name, opened by link, made the default, renamed and deleted"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow } = await seedRuns(deps, operator, 20);
    const page = await open(operator);
    const views = page.getByRole("navigation", { name: "Views of History" });
    await page.goto(`/history?workflow=${workflow}&status=failed`);
    await page.getByRole("button", { name: "Save view…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Broken");
    await page.getByRole("button", { name: "Save the view" }).click();
    await expect(views.getByRole("link", { name: "Broken" })).toHaveAttribute("aria-current", "page");

    await page.goto("/history");
    await views.getByRole("link", { name: "Broken" }).click();
    await expect(page).toHaveURL(new RegExp(`\\?status=failed&workflow=${workflow}$`));
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole("button", { name: "Edit view…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Failed ones");
    await page.getByLabel("Open History with this view").check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(views.getByRole("link", { name: "Failed ones default" })).toBeVisible();

    await page.goto("/history");
    await expect(page).toHaveURL(/status=failed/);
    await views.getByRole("link", { name: "All runs" }).click();
    await expect(page).toHaveURL("/history?view=all");
    const other = await open(await person("viewer"));
    await other.goto("/history");
    await expect(other.getByRole("heading", { level: 1, name: "History" })).toBeVisible();
    await expect(other.getByText("Failed ones")).toHaveCount(0);

    await page.goto(`/history?workflow=${workflow}`);
    await page.getByRole("button", { name: "Save view…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Failed ones");
    await page.getByRole("button", { name: "Save the view" }).click();
    await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(/already/);
    await page.getByRole("button", { name: "Cancel" }).click();
    await views.getByRole("link", { name: "Failed ones" }).click();
    await page.getByRole("button", { name: "Edit view…" }).click();
    await page.getByRole("button", { name: "Delete view" }).click();
    await expect(page).toHaveURL("/history?view=all");
    await expect(page.getByText("Failed ones")).toHaveCount(0);
  },
);

test(verifies("history:export", "all filtered runs, from the page"), async ({ open, person, deps }) => {
  const operator = await person("operator");
  const { workflow, ids } = await seedRuns(deps, operator, 120);
  const page = await open(operator);
  await page.goto(`/history?workflow=${workflow}&cost_max=0.1`);
  for (const { format, lines } of [
    { format: "CSV", lines: 102 },
    { format: "JSONL", lines: 101 },
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `Export as ${format}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`kimitsu-runs.${format.toLowerCase()}`);
    const text = await readFile(await download.path(), "utf8");
    expect(text.trim().split("\n")).toHaveLength(lines);
    expect(text).toContain(ids[0]);
    expect(text).not.toContain(ids[101]);
  }
});

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `History with views and filters, ${look}`), async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { workflow } = await seedRuns(deps, operator, 80);
    await deps.db.savedView.create({
      data: {
        id: `view_${operator.id}`,
        userId: operator.id,
        name: "Dear ones",
        query: `workflow=${workflow}&cost_min=0.01`,
      },
    });
    const page = await open(operator, options);
    await page.goto(`/history?workflow=${workflow}&cost_min=0.01`);
    await expect(rows(page).first()).toBeVisible();
    await examine(page, `history-view-${look}`);
    await page.getByRole("button", { name: "Edit view…" }).click();
    await expect(page.getByRole("dialog", { name: "Edit view" })).toBeVisible();
    await page
      .getByRole("dialog")
      .evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
    await examine(page, `history-edit-view-${look}`);
  });
}
