import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { PLACES, PUBLIC_PLACES } from "./places";
import { verifies } from "./requirements";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const WIDTHS = [360, 390, 768, 1180, 1440, 2560];
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
const SCREENS = "test-results/screens";

/** Goes to every page in turn; who is signed in is sent away from the sign-in page, so that one is seen by nobody's window. */
async function visit(pages: { signedIn: Page; nobody: Page }, look: (page: Page, name: string) => Promise<void>): Promise<void> {
  for (const place of [...PLACES, ...PUBLIC_PLACES]) {
    const page = PUBLIC_PLACES.some(({ path: open }) => open === place.path) ? pages.nobody : pages.signedIn;
    await page.goto(place.path);
    await expect(page.getByRole("heading", { level: 1, name: place.title })).toBeVisible();
    await look(page, place.name);
  }
}

for (const colorScheme of ["light", "dark"] as const) {
  test(verifies("ui:accessible", `every page in ${colorScheme}`), async ({ open, person }) => {
    const admin = await person("admin");
    const pages = { signedIn: await open(admin, { colorScheme, viewport: DESK }), nobody: await open(null, { colorScheme, viewport: DESK }) };
    await visit(pages, async (page, name) => {
      await page.screenshot({ path: path.join(SCREENS, `${name}-${colorScheme}.png`) });
      const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
      expect.soft(violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual([]);
    });
  });

  test(verifies("ui:accessible", `dialogs and menus in ${colorScheme}`), async ({ open, person }) => {
    const page = await open(await person("admin"), { colorScheme, viewport: DESK });
    for (const [address, button, name] of [
      ["/settings/people", "Add a person", "add-person"],
      ["/settings/groups", "New group", "add-group"],
      ["/settings/tokens", "New token", "add-token"],
    ] as const) {
      await page.goto(address);
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByRole("dialog", { name: button })).toBeVisible();
      await page.getByRole("dialog").evaluate((dialog) => Promise.all(dialog.getAnimations().map(({ finished }) => finished)));
      await page.screenshot({ path: path.join(SCREENS, `${name}-${colorScheme}.png`) });
      const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
      expect.soft(violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual([]);
    }
  });
}

test(verifies("ui:accessible", "every page on a phone"), async ({ open, person }) => {
  const options = { viewport: PHONE, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
  const pages = { signedIn: await open(await person("admin"), options), nobody: await open(null, options) };
  await visit(pages, async (page, name) => {
    await page.screenshot({ path: path.join(SCREENS, `${name}-phone.png`) });
    const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
    expect.soft(violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual([]);
  });
});

for (const width of WIDTHS) {
  test(verifies("ui:width", `no page scrolls sideways at ${width} pixels`), async ({ open, person }) => {
    const options = { viewport: { width, height: 900 } };
    const pages = { signedIn: await open(await person("admin"), options), nobody: await open(null, options) };
    await visit(pages, async (page, name) => {
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), `${name} at ${width}`).toBeLessThanOrEqual(width);
    });
  });
}

test(verifies("ui:phone", "on a phone every page is reached from the bar at the foot"), async ({ open, person }) => {
  const page = await open(await person("admin"), { viewport: PHONE, hasTouch: true, isMobile: true });
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

test(verifies("ui:theme", "a chosen theme holds at once and after a reload"), async ({ open, person }) => {
  const page = await open(await person("viewer"), { colorScheme: "light" });
  await page.goto("/settings");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("radio", { name: "Dark" }).filter({ visible: true }).check({ force: true });
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await page.reload();
  expect(await ground()).toBe(dark);
});
