import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { InboxPage } from "./pages/inbox-page";
import { joinPrivacy, startAndWait } from "./pending";
import { verifies } from "./requirements";

const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test(
  verifies(
    "preferences:account",
    "a theme applies in another browser from the first byte on, and so do keys and the first page",
  ),
  async ({ open, person }) => {
    const someone = await person("reviewer");
    const page = await open(someone, { colorScheme: "light" });
    await page.goto("/settings/preferences");
    const light = await ground(page);
    await page.getByRole("radio", { name: "Dark" }).filter({ visible: true }).check({ force: true });
    await page.getByLabel("First page").selectOption("history");
    await page.getByRole("checkbox", { name: /Single keys are on/ }).uncheck();
    await expect.poll(() => ground(page)).not.toBe(light);

    const elsewhere = await open(someone, { colorScheme: "light" });
    await expect(async () => {
      const answer = await elsewhere.request.get("/settings/preferences");
      expect(await answer.text()).toMatch(/<html[^>]* data-theme="dark"/);
    }).toPass();
    await elsewhere.goto("/");
    await expect(elsewhere).toHaveURL(/\/history$/);
    expect(await ground(elsewhere)).toBe(await ground(page));
    await elsewhere.goto("/settings/preferences");
    await expect(elsewhere.getByRole("checkbox", { name: /Single keys are on/ })).not.toBeChecked();
  },
);

test(
  verifies("preferences:account", "a choice that cannot be saved reverts, and says why"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.route("**/settings/preferences", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 404, body: "lost" }) : route.continue(),
    );
    await page.goto("/settings/preferences");
    const keys = page.getByRole("checkbox", { name: /Single keys are on/ });
    await expect(async () => {
      await keys.click();
      await expect(page.getByText("Not saved. The connection broke.")).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(keys).toBeChecked();
  },
);

declare global {
  interface Window {
    shownNotices: { title: string; body: string; tag: string; click: () => void }[];
  }
}

/** The browser's own notifications would appear on a desktop that no test sees; what is passed to them is recorded. */
function keepNotices(): void {
  window.shownNotices = [];
  class Kept extends EventTarget {
    static permission = "granted";
    static requestPermission = () => Promise.resolve("granted");
    constructor(title: string, { body = "", tag = "" }: NotificationOptions = {}) {
      super();
      window.shownNotices.push({ title, body, tag, click: () => this.dispatchEvent(new Event("click")) });
    }
    close() {}
  }
  Object.defineProperty(window, "Notification", { value: Kept, configurable: true });
}

test(
  verifies(
    "inbox:notices",
    "a person gets a desktop notification of a call that they may decide, without its arguments, and a click opens its card",
  ),
  async ({ open, person, deps }) => {
    const [chosen, other] = [await person("reviewer"), await person("reviewer")];
    await joinPrivacy(deps, [chosen]);
    const [page, elsewhere] = [await open(chosen), await open(other)];
    for (const tab of [page, elsewhere]) {
      await tab.addInitScript(keepNotices);
      await tab.goto("/settings/preferences");
      await tab.getByRole("checkbox", { name: /Tell me on the desktop/ }).check();
      await expect
        .poll(() => tab.evaluate(() => window.shownNotices.length), "the first one shows how they look")
        .toBeGreaterThan(0);
      await tab.goto("/history");
      // The window listens once it holds the lock.
      await expect
        .poll(() => tab.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name)))
        .toContain("kimitsu-notices");
    }
    const { approvalId } = await startAndWait(deps, "T-315");
    const tags = (tab: Page) => tab.evaluate(() => window.shownNotices.map(({ tag }) => tag));
    await expect.poll(() => tags(page)).toContain(approvalId);
    const told = (await page.evaluate(() => window.shownNotices)).find(({ tag }) => tag === approvalId);
    expect(told).toMatchObject({
      title: "A call waits for you",
      body: "shop.delete-customer\ncritical danger, workflow support",
    });
    expect(JSON.stringify(told)).not.toContain("C-201");
    // Both connections receive it at the same moment; the other person is not in the group, and gets only what other
    // tests ask reviewers.
    expect(await tags(elsewhere)).not.toContain(approvalId);
    await page.evaluate((id) => window.shownNotices.find(({ tag }) => tag === id)?.click(), approvalId);
    await expect(page).toHaveURL(new RegExp(approvalId));
    await new InboxPage(page).card.waitFor();
  },
);

test(
  verifies("ui:installable", "the manifest names the application and its icons, and each icon is what it says"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.goto("/inbox");
    const href = await page.locator('link[rel="manifest"]').getAttribute("href");
    const manifest = (await (await page.request.get(href ?? "")).json()) as {
      name: string;
      start_url: string;
      display: string;
      icons: { src: string; sizes: string; purpose?: string }[];
    };
    expect(manifest).toMatchObject({ name: "Kimitsu", display: "standalone", start_url: "/" });
    expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose ?? "any"}`).toSorted()).toEqual([
      "192x192 any",
      "512x512 any",
      "512x512 maskable",
    ]);
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, src);
      expect(size, src).toBe(sizes);
    }
  },
);
