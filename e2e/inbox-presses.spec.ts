import type { Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";
import { holdPosts, intercept } from "./intercept";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], edit: true, timeout: 1h } }",
};

async function askOften(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(
      (await deps.db.approval.findFirstOrThrow({ where: { runId: await own.startAndDrive(by), status: "pending" } }))
        .id,
    );
  return ids;
}

async function approveElsewhere(page: Page, approvalId: string): Promise<void> {
  expect(
    (
      await page.request.post(`/approvals/${approvalId}/decide`, {
        headers: { origin: required("BASE_URL") },
        data: { decision: "approve" },
      })
    ).status(),
  ).toBe(200);
}

/** Clicks at the moment at which something appears: faster than anyone who aimed at it. */
async function pressWhenThere(page: Page, words: string, on = ""): Promise<void> {
  await page.evaluate(
    ({ words: sought, on: card }) => {
      const watcher = new MutationObserver(() => {
        const button = [...document.querySelectorAll<HTMLElement>("article button, article a")].find((element) =>
          element.textContent.trim().startsWith(sought),
        );
        if (!button || !location.pathname.endsWith(card)) return;
        watcher.disconnect();
        button.click();
        document.body.dataset.pressed = sought;
      });
      delete document.body.dataset.pressed;
      watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
    },
    { words, on },
  );
}

const isPressed = (page: Page, words: string) => expect(page.locator(`body[data-pressed="${words}"]`)).toBeAttached();
const TOO_SOON = "Nothing was decided: what you see came or changed just now.";
const toasts = (page: Page) => page.getByRole("region", { name: "Notifications" });

test(
  verifies(
    "inbox:keys",
    "a card that has just appeared is decided by no press that was aimed at what was there before",
  ),
  async ({ open, person, deps }) => {
    const [ana, mira] = [await person("reviewer"), await person("reviewer")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = ""] = await askOften(deps, own, await person("operator"), 3);
    // More dangerous ones are disabled anyway until all of them was on the screen.
    await changeQuestions(deps.db, [first, second, third], { approval: { danger: "medium" } });
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await page.clock.install();
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await expect(inbox.approve).toBeEnabled();
    await pressWhenThere(page, "Approve", second);
    await page.keyboard.press("j");
    await isPressed(page, "Approve");
    await expect(toasts(page)).toContainText(TOO_SOON);
    await toasts(page).getByRole("button", { name: "Dismiss" }).click();
    await expect(toasts(page)).not.toContainText(TOO_SOON);
    await expect(inbox.approve).toBeEnabled();
    // For the page no time passes from here on, so that the card counts as new for as long as the key press takes.
    await page.clock.pauseAt(Date.now() + 2_000);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(new RegExp(third));
    await expect(inbox.foot.locator('[data-still="false"]')).toBeVisible();
    await page.keyboard.press("a");
    await expect(toasts(page)).toContainText(TOO_SOON);
    await page.clock.resume();
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);

    await pressWhenThere(page, "Next", third);
    await approveElsewhere(await open(mira), third);
    await isPressed(page, "Next");
    await expect(inbox.card.getByRole("link", { name: "Next" })).toBeEnabled();
    await expect(page, "the second of two presses on Approve leads nowhere").toHaveURL(new RegExp(third));
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await expect(inbox.approve).toBeEnabled();
    await page.keyboard.press("a");
    await expect(inbox.card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
    await own.close();
  },
);

test(
  verifies("inbox:keys", "an Enter that is held, or pressed twice, reviews changes and does not approve them"),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    const inbox = new InboxPage(await open(ana));
    const { page, card } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}`);
    await expect(inbox.approve).toBeEnabled();
    const approve = card.getByRole("button", { name: "Approve with changes" });
    const field = card.getByRole("textbox", { name: /^text/ });
    await inbox.edit.click();
    await field.fill("goodbye");
    await pressWhenThere(page, "Approve with changes");
    await field.press("Enter");
    await isPressed(page, "Approve with changes");
    await expect(approve).toBeEnabled();
    await card.getByRole("button", { name: "Back" }).click();
    await field.focus();
    await page.keyboard.down("Enter");
    await expect(approve).toBeFocused();
    await expect(approve).toBeEnabled();
    for (let n = 0; n < 3; n++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(await deps.db.decision.count({ where: { approvalId: first } })).toBe(0);
    await page.keyboard.press("Enter");
    await expect(card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
    await own.close();
  },
);

test(
  verifies("inbox:keys", "what is typed for the palette before it is rendered reaches the palette and no call"),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await page.clock.install();
    await inbox.open(first, `?workflow=${own.workflow}`);
    await inbox.untilAlive();
    await expect(inbox.approve).toBeEnabled();
    const held = Promise.withResolvers<void>();
    await intercept(page, /\/_next\/static\/.*\.js/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/_next\/static\/.*\.js/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("darn");
    await page.keyboard.press("Backspace");
    await asked;
    held.resolve();
    await expect(page.getByRole("combobox", { name: /^Search pages/ })).toHaveValue("dar");
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);

    // The focus returns to Approve with the first Enter, and the second must not press it.
    await page.keyboard.press("Escape");
    await inbox.approve.focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("dark");
    await expect(page.getByRole("option", { name: /^Dark theme/, selected: true })).toBeEnabled();
    // Two presses in a row, however long they take: for the page no time passes between them.
    await page.clock.pauseAt(Date.now() + 2_000);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.clock.resume();
    await expect(toasts(page)).toContainText("Dark theme");
    await expect(inbox.approve).toBeFocused();
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
    await own.close();
  },
);

test(
  verifies("inbox:keys", "no key decides a card that was left for a page that is still loading"),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await expect(inbox.approve).toBeEnabled();
    const held = Promise.withResolvers<void>();
    await intercept(page, new RegExp(`/inbox/${second}`), async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type(second);
    await expect(page.getByRole("option", { name: /echo/ }).first()).toBeEnabled();
    const asked = page.waitForRequest(new RegExp(`/inbox/${second}`));
    await page.keyboard.press("Enter");
    await asked;
    await page.keyboard.press("a");
    await expect(toasts(page)).toContainText("another page was asked for");
    await expect(page).toHaveURL(new RegExp(first));
    held.resolve();
    await expect(page).toHaveURL(new RegExp(second));
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
    await own.close();
  },
);

/** Presses keys before the browser has reported that the first of them closed the palette. */
const pressAsItCloses = (page: Page, keys: { key: string; ctrlKey?: boolean }[]) =>
  page.getByRole("combobox", { name: /^Search pages/ }).evaluate((field, given) => {
    for (const [place, key] of given.entries())
      (place === 0 ? field : document.body).dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...key }),
      );
  }, keys);

test(
  verifies(
    "inbox:keys",
    "a letter at the moment the palette closes goes to the page, or to the palette if it was opened again",
  ),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await expect(inbox.approve).toBeEnabled();
    const searchFor = async (text: string) => {
      await page.keyboard.type(text);
      await expect(page.getByRole("listbox", { name: "Found" }).getByRole("option", { selected: true })).toBeEnabled();
    };
    await page.keyboard.press("Control+k");
    await searchFor("light theme");
    await pressAsItCloses(page, [{ key: "Enter" }, { key: "k", ctrlKey: true }, { key: "a" }]);
    await expect(toasts(page)).toContainText("Light theme");
    await expect(page.getByRole("combobox", { name: /^Search pages/ })).toBeFocused();
    await page.keyboard.press("Control+a");
    await searchFor(second);
    await pressAsItCloses(page, [{ key: "Enter" }, { key: "a" }]);
    await expect(toasts(page)).toContainText("another page was asked for");
    await expect(page).toHaveURL(new RegExp(second));
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
    await own.close();
  },
);

test(
  verifies("inbox:keys", "capitals, keys with a modifier, held keys and keys of an input method decide nothing"),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await expect(inbox.approve).toBeEnabled();
    await page.evaluate(() => {
      for (const given of [
        { shiftKey: true, key: "A" },
        { ctrlKey: true },
        { metaKey: true },
        { altKey: true },
        { repeat: true },
        { isComposing: true },
        { keyCode: 229 },
      ]) {
        for (const key of ["a", "r"])
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...given }));
      }
    });
    await expect(inbox.card.getByRole("textbox")).toHaveCount(0);

    for (const id of [first, second]) await inbox.row(id).getByRole("checkbox").check();
    const batch = page.getByRole("region", { name: "Selected calls" });
    await batch.getByRole("button", { name: "Reject 2…" }).click();
    const reason = batch.getByRole("textbox");
    await reason.fill("同じ");
    // Safari sends the Enter that chooses a word after the composition has ended.
    await reason.evaluate((field) =>
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }),
      ),
    );
    await expect(batch.getByRole("button", { name: "Reject 2" })).toBeEnabled();
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
    await own.close();
  },
);

test(
  verifies(
    "inbox:changed",
    "what was typed for other arguments confirms none of the new ones, and what was picked with others is no longer picked",
  ),
  async ({ open, person, deps }) => {
    const [ana, mira] = [await person("reviewer"), await person("reviewer")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = ""] = await askOften(deps, own, await person("operator"), 3);
    await changeQuestions(deps.db, [first], { approval: { danger: "critical" } });
    const inbox = new InboxPage(await open(ana));
    const { page, card } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.row(second).getByRole("checkbox").check();
    await expect(page.getByText("1 selected")).toBeVisible();
    await inbox.approve.click();
    const confirm = card.getByLabel(/^Type .* to approve$/);
    await confirm.fill("hello");
    await changeQuestions(deps.db, [first, second], { call: { arguments: { text: "hello", to: "everyone" } } });
    await approveElsewhere(await open(mira), third);
    await expect(card.getByRole("row", { name: /^to/ })).toBeVisible();
    await expect(confirm).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Selected calls" })).toHaveCount(0);
    await own.close();
  },
);

test(verifies("inbox:extend", "two presses on Extend add the time once"), async ({ open, person, deps }) => {
  const own = await openOwnProject(deps, ASKS);
  const [id = ""] = await askOften(deps, own, await person("operator"), 1);
  const inbox = new InboxPage(await open(await person("reviewer")));
  await inbox.open(id, `?workflow=${own.workflow}`);
  const end = inbox.card.locator("time").filter({ hasText: "Expires in" });
  const before = Date.parse((await end.getAttribute("datetime")) ?? "");
  const extend = inbox.card.getByRole("button", { name: /^Extend/ });
  // The first press is in progress while the second one is made.
  const release = await holdPosts(inbox.page, new RegExp(`/inbox/${id}`));
  await extend.evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise((done) => requestAnimationFrame(done));
    button.click();
  });
  release();
  await expect(end).toHaveAttribute("datetime", new Date(before + 30 * 60_000).toISOString());
  await expect(extend).toBeEnabled();
  expect((await deps.db.approval.findUniqueOrThrow({ where: { id } })).expiresAt?.getTime()).toBe(before + 30 * 60_000);
  await own.close();
});
