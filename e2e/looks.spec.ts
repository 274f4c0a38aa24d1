import type { Page } from "@playwright/test";
import { examine, LOOKS } from "./examine";
import { expect, test } from "./fixtures";
import { withOpenJournal } from "@/lib/testing/open-journal";
import { startAndWait } from "./pending";
import { PLACES, PUBLIC_PLACES } from "./places";
import { verifies } from "./requirements";

const WIDTHS = [360, 390, 768, 1180, 1440, 2560];
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DIALOGS = [
  { path: "/settings/people", button: "Add a person", name: "add-person" },
  { path: "/settings/groups", button: "New group", name: "add-group" },
  { path: "/settings/tokens", button: "New token", name: "add-token" },
] as const;

/** A signed-in person is redirected from the sign-in page, so public pages are opened without a sign-in. */
const ALL = [
  ...PLACES.map((place) => ({ ...place, isPublic: false })),
  ...PUBLIC_PLACES.map((place) => ({ ...place, isPublic: true })),
];

async function show(page: Page, { path: address, title }: { path: string; title: string }): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
}

for (const { look, options } of LOOKS) {
  for (const place of ALL) {
    test(
      verifies("ui:accessible", verifies("ui:width", `${place.name}, ${look}; it never scrolls sideways`)),
      async ({ open, person }) => {
        const page = await open(place.isPublic ? null : await person("admin"), options);
        await show(page, place);
        await examine(page, `${place.name}-${look}`, { fullPage: false });
        if (look === "phone") return;
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          expect
            .soft(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width} pixels`)
            .toBeLessThanOrEqual(width);
        }
      },
    );
  }

  for (const dialog of DIALOGS) {
    test(verifies("ui:accessible", `the dialog ${dialog.name}, ${look}`), async ({ open, person }) => {
      const page = await open(await person("admin"), options);
      await show(page, { path: dialog.path, title: "Settings" });
      await page.getByRole("button", { name: dialog.button }).click();
      const shown = page.getByRole("dialog", { name: dialog.button });
      await expect(shown).toBeVisible();
      // Half transparent during its animation, it would be judged by colours that nobody reads.
      await shown.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
      await expect(
        shown.getByRole("button", { name: "Cancel" }),
        "what ends it is on the screen, however long the form is",
      ).toBeInViewport();
      await examine(page, `${dialog.name}-${look}`, { fullPage: false });
    });
  }
}

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `a page that could not be shown, ${look}`), async ({ open, person, deps }) => {
    const { approvalId } = await startAndWait(deps, "T-315");
    const { runId } = await deps.db.approval.findUniqueOrThrow({ where: { id: approvalId } });
    const [{ data } = { data: "" }] = await deps.db.journal.findMany({ where: { runId, seq: 1 } });
    const write = (text: string | null) =>
      withOpenJournal(
        deps.db,
        (tx) => tx.$executeRaw`UPDATE journal SET data = ${text} WHERE run_id = ${runId} AND seq = 1`,
      );
    const page = await open(await person("reviewer"), options);
    // It breaks on purpose, and its console says so.
    page.context().removeAllListeners("console");
    page.context().removeAllListeners("weberror");
    await write("{}");
    await page.goto(`/inbox/${approvalId}`);
    await expect(page.getByText("This page could not be shown")).toBeVisible();
    await expect(
      page.getByRole("link", { name: "Go to the inbox" }),
      "a way out, which a card on a phone has no bar for",
    ).toBeVisible();
    await examine(page, `error-${look}`, { fullPage: false });
    await write(data);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("article")).toBeVisible();
  });
}

test(verifies("ui:phone", "on a phone every page is reached from the bar at the foot"), async ({ open, person }) => {
  const page = await open(await person("admin"), PHONE);
  await page.goto("/inbox");
  const bar = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
  for (const { nav, title, path: address } of PLACES) {
    if (!nav) continue;
    const link = bar.getByRole("link", { name: nav, exact: true });
    if (!(await link.isVisible())) await bar.getByRole("button", { name: "More" }).tap();
    await link.tap();
    await expect(page).toHaveURL(address);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await bar.getByRole("button", { name: "More" }).tap();
  await page.getByRole("button", { name: "Sign out" }).filter({ visible: true }).last().tap();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
});

test(verifies("ui:theme", "a chosen theme applies at once and after a reload"), async ({ open, person }) => {
  const page = await open(await person("viewer"), { colorScheme: "light" });
  await page.goto("/settings/preferences");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("radio", { name: "Dark" }).filter({ visible: true }).check({ force: true });
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await page.reload();
  expect(await ground()).toBe(dark);
});
