import type { Page } from "@playwright/test";
import { examine, LOOKS } from "./examine";
import { expect, test } from "./fixtures";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";
import { intercept } from "./intercept";

const field = (page: Page) => page.getByRole("combobox", { name: /^Search pages/ });
const list = (page: Page) => page.getByRole("listbox", { name: "Found" });
const option = (page: Page, name: string | RegExp) => list(page).getByRole("option", { name });

/** The key works once the page's scripts run. */
async function openPalette(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("Control+k");
    await expect(field(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();
}

test(
  verifies("ui:palette", "by keys alone: a page, a run by its id, a call that waits, a workflow, a tool"),
  async ({ open, person, deps }) => {
    const { runId, approvalId } = await startAndWait(deps, "T-315");
    const page = await open(await person("operator"));
    await page.goto("/history");
    const go = async (text: string, name: string | RegExp, url: RegExp) => {
      await openPalette(page);
      await page.keyboard.type(text);
      await expect(option(page, name).first()).toBeVisible();
      while ((await list(page).getByRole("option", { selected: true }).textContent())?.match(name) === null)
        await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(url);
    };
    await go("tool", /^Tools/, /\/tools$/);
    await go(runId, new RegExp(`^${runId}`), new RegExp(`/history/${runId}$`));
    await go(approvalId, /Delete customer C-201/, new RegExp(`/inbox/${approvalId}$`));
    await go("supp", /^support/, /\/workflows\/support$/);
    await go("shop.issue", /^shop\.issue-refund/, /\/tools\/shop\/issue-refund$/);
    await openPalette(page);
    await page.keyboard.type("nothing is called that");
    await expect(page.getByText("Nothing fits “nothing is called that”.")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(field(page)).toHaveCount(0);
    await expect(page).toHaveURL(/issue-refund$/);
  },
);

test(
  verifies(
    "ui:palette",
    "Enter before the answer opens what was typed, not what the list before showed under the same name",
  ),
  async ({ open, person, deps }) => {
    const other = await startAndWait(deps, "T-315");
    const { approvalId } = await startAndWait(deps, "T-315");
    const page = await open(await person("operator"));
    await page.goto("/history");
    await openPalette(page);
    // Both have the same beginning: ids start with the time.
    let alike = 0;
    while (approvalId[alike] === other.approvalId[alike]) alike += 1;
    await page.keyboard.type(approvalId.slice(0, alike));
    await expect(option(page, /Delete customer C-201/).first()).toBeEnabled();
    const held = Promise.withResolvers<void>();
    await intercept(page, "**/palette?*", async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest((request) => request.url().endsWith(`/palette?q=${approvalId}`));
    await page.keyboard.type(approvalId.slice(alike));
    await page.keyboard.press("Enter");
    await asked;
    await expect(option(page, /Delete customer C-201/).first()).toBeDisabled();
    await expect(page).toHaveURL(/\/history$/);
    held.resolve();
    await expect(page).toHaveURL(new RegExp(`/inbox/${approvalId}$`));
  },
);

test(
  verifies(
    "ui:palette",
    "people are found by admins only, the trail by those who may read it, and nothing by people who are signed out",
  ),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const admin = await open(await person("admin"));
    await admin.goto("/history");
    await openPalette(admin);
    await expect(option(admin, "Audit")).toBeVisible();
    await admin.keyboard.type(someone.email);
    await expect(option(admin, new RegExp(someone.name))).toBeVisible();
    const viewer = await open(someone);
    await viewer.goto("/history");
    await openPalette(viewer);
    await expect(option(viewer, "Audit")).toHaveCount(0);
    const answer = await viewer.request.get(`/palette?q=${someone.email}`);
    expect(await answer.json()).toEqual({ groups: [] });
    expect((await viewer.request.get("/palette")).status()).toBe(422);
    const nobody = await open(null);
    expect((await nobody.request.get("/palette?q=support")).status()).toBe(401);
  },
);

test(
  verifies("ui:palette", "a theme is chosen and kept, and a failed search says so while pages stay"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"), { colorScheme: "light" });
    await page.goto("/workflows");
    await openPalette(page);
    await page.keyboard.type("dark");
    await page.keyboard.press("Enter");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.getByRole("region", { name: "Notifications" })).toContainText("Dark theme");
    await intercept(page, "**/palette?*", (route) => route.fulfill({ status: 404 }));
    await openPalette(page);
    await page.keyboard.type("inb");
    await expect(page.getByText("The search failed; pages can still be chosen.")).toBeVisible();
    await expect(option(page, "Inbox").first()).toBeVisible();
  },
);

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `the palette, ${look}`), async ({ open, person }) => {
    const page = await open(await person("admin"), options);
    await page.goto("/workflows");
    await openPalette(page);
    await page.keyboard.type("s");
    await expect(page.getByRole("group", { name: "Workflows" })).toBeVisible();
    await page
      .getByRole("dialog")
      .evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
    await examine(page, `palette-${look}`);
  });
}
