import type { Locator, Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { examine } from "./examine";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], timeout: 1h, timeout_behavior: reject } }",
};

async function ask(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(
      (await deps.db.approval.findFirstOrThrow({ where: { runId: await own.startAndDrive(by), status: "pending" } }))
        .id,
    );
  return ids;
}

async function reject({ request }: Page, approvalId: string): Promise<void> {
  const answer = await request.post(`/approvals/${approvalId}/decide`, {
    headers: { origin: required("BASE_URL") },
    data: { decision: "reject" },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

const toasts = (page: Page) => page.getByRole("region", { name: "Notifications" });
const toastOf = (page: Page, text: string | RegExp) => toasts(page).getByRole("listitem").filter({ hasText: text });

/** Neither covers any part of the other, both measured in the same frame, at any moment that the toast is shown. */
async function expectApart(toast: Locator, other: Locator, what: string): Promise<void> {
  const second = await other.elementHandle();
  const areApart = await toast.evaluate(
    (first, against) =>
      new Promise<boolean>((resolve) =>
        // The toaster finds its place in a frame's callback; this one was asked for later and so runs after it.
        requestAnimationFrame(() => {
          const [one, two] = [first.getBoundingClientRect(), (against as Element).getBoundingClientRect()];
          resolve(one.right <= two.left || two.right <= one.left || one.bottom <= two.top || two.bottom <= one.top);
        }),
      ),
    second,
  );
  expect(areApart, `${what} is not covered`).toBe(true);
}

const WIDTHS = [
  { name: "wide", options: { viewport: { width: 1440, height: 900 } } },
  { name: "tablet", options: { viewport: { width: 900, height: 700 } } },
  { name: "phone", options: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } },
] as const;

for (const { name, options } of WIDTHS) {
  test(
    verifies(
      "ui:toasts",
      `${name}: a call set aside and another's decision are told beside the card, the filters, the batch and the buttons`,
    ),
    async ({ open, person, deps }) => {
      const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
      const own = await openOwnProject(deps, ASKS);
      const [first = "", second = "", third = ""] = await ask(deps, own, operator, 4);
      const search = `?workflow=${own.workflow}&sort=age`;
      const inbox = new InboxPage(await open(ana, options));
      const { page, card } = inbox;
      await inbox.open(first, search);
      await card.getByRole("button", { name: "Not now" }).click();
      await card.getByRole("button", { name: "Set aside" }).click();
      await expect(page).toHaveURL(new RegExp(second));
      const aside = toastOf(page, "Set aside");
      await expect(aside).toBeVisible();
      // It stays for as long as the pointer is on it.
      await aside.hover();
      for (const button of ["Reject", "Not now", "Approve"])
        await expectApart(aside, card.getByRole("button", { name: new RegExp(`^${button}`) }), button);
      await expectApart(aside, card.getByRole("heading", { level: 2 }), "the sentence of the card");
      await expectApart(aside, card.getByRole("button", { name: /^Extend/ }), "the time that is left");
      // What opens at the foot pushes it up.
      await card.getByRole("button", { name: /^Reject/ }).click();
      await aside.hover();
      await expectApart(aside, card.getByRole("textbox"), "the reason");
      await expectApart(aside, card.getByRole("button", { name: /^Reject/ }), "the button that rejects");
      await examine(page, `toasts-${name}-card`, { fullPage: false });
      await aside.getByRole("button", { name: "Dismiss" }).click();
      await expect(aside).toHaveCount(0);

      await page.goto(`/inbox${search}`);
      await inbox.row(second).getByRole("checkbox").check();
      await reject(await open(ben), third);
      const decided = toastOf(page, `${ben.name} rejected`);
      await expect(decided).toBeVisible();
      await decided.hover();
      await expectApart(decided, page.getByRole("region", { name: "Selected calls" }), "the batch");
      await expectApart(decided, page.getByRole("navigation", { name: "Filter" }), "the filters");
      await expectApart(decided, inbox.row(second), "the first row");
      await examine(page, `toasts-${name}-batch`, { fullPage: false });
      await own.close();
    },
  );
}

test(
  verifies("inbox:live", "what another person decided while the page was loading is shown as soon as the page listens"),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await ask(deps, own, operator, 2);
    const inbox = new InboxPage(await open(ana));
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await inbox.page.route(/\/live\/inbox\?after=/, async (route) => {
      reached.resolve();
      await released.promise;
      await route.continue();
    });
    await inbox.page.goto(`/inbox?workflow=${own.workflow}`);
    await reached.promise;
    await expect(inbox.row(first)).toBeVisible();
    await reject(await open(ben), first);
    released.resolve();
    await expect(toastOf(inbox.page, `${ben.name} rejected`)).toBeVisible();
    await expect(inbox.row(first)).toHaveCount(0);
    await expect(inbox.row(second)).toBeVisible();
    await own.close();
  },
);

test(
  verifies(
    "ui:toasts",
    "what the card itself shows is announced to screen readers only: more time, no longer set aside, decided by another",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await ask(deps, own, operator, 1);
    const { card, page, ...inbox } = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    await page.goto(`/inbox/${first}?workflow=${own.workflow}`);
    await expect(inbox.approve).toBeEnabled();
    await card.getByRole("button", { name: /^Extend/ }).click();
    await expect(toasts(page)).toContainText("30 minutes more");
    await expect(toasts(page).getByRole("button", { name: "Dismiss" })).toHaveCount(0);
    await reject(await open(ben), first);
    await expect(card.getByText(`Rejected by ${ben.name}`)).toBeVisible();
    await expect(toasts(page).getByText(ben.name)).toHaveCount(0);
    await own.close();
  },
);

test(
  verifies(
    "inbox:focus",
    "after a form back to its button, after a decision to the next call, after setting aside to the card that came, after a batch to its end",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = "", fourth = ""] = await ask(deps, own, operator, 4);
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { card, page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await inbox.reject.focus();
    await page.keyboard.press("Enter");
    await expect(card.getByRole("textbox")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(inbox.reject).toBeFocused();

    const aside = card.getByRole("button", { name: "Not now" });
    await aside.focus();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Set aside" }).focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(second));
    await expect(card.getByRole("heading", { level: 2 })).toBeFocused();

    await inbox.reject.focus();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Reject", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(card.getByText(`Rejected by ${ana.name}`)).toBeVisible();
    await expect(card.getByRole("link", { name: "Next" })).toBeFocused();

    const batch = page.getByRole("region", { name: "Selected calls" });
    for (const id of [third, fourth]) await inbox.row(id).getByRole("checkbox").check();
    await batch.getByRole("button", { name: "Reject 2…" }).press("Enter");
    await expect(batch.getByRole("textbox")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(batch.getByRole("button", { name: "Reject 2…" }), "what was picked stays picked").toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Not today");
    await page.keyboard.press("Enter");
    await expect(batch).toContainText("Done: 2 of 2 recorded");
    await expect(batch.getByRole("button", { name: "Close" })).toBeFocused();
    await own.close();
  },
);

for (const width of [360, 390]) {
  test(
    verifies("ui:tabs", `at ${width} px: all views of a run fit, and of the settings the current one is in sight`),
    async ({ open, person, deps }) => {
      const [admin, operator] = [await person("admin"), await person("operator")];
      const own = await openOwnProject(deps, ASKS);
      const runId = await own.startAndDrive(operator);
      const page = await open(admin, { viewport: { width, height: 740 }, hasTouch: true, isMobile: true });
      await page.goto(`/history/${runId}`);
      const views = page.getByRole("navigation", { name: "Views of this run" });
      for (const tab of await views.getByRole("link").all()) await expect(tab).toBeInViewport({ ratio: 1 });
      // Those of an admin do not all fit; what is scrolled as far as it goes may end within a pixel.
      for (const tab of ["You", "Tokens"]) {
        await page.goto(tab === "You" ? "/settings" : "/settings/tokens");
        await expect(
          page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: tab }),
        ).toBeInViewport({ ratio: 0.98 });
      }
      // Narrower than any phone: they no longer fit, and fade where there are more.
      await page.setViewportSize({ width: 280, height: 740 });
      await page.goto("/settings/tokens");
      const row = page.getByRole("navigation", { name: "Settings" }).getByRole("list");
      await expect(row.getByRole("link", { name: "Tokens" })).toBeInViewport({ ratio: 0.98 });
      await expect(row).not.toHaveCSS("mask-image", "none");
      await own.close();
    },
  );
}
