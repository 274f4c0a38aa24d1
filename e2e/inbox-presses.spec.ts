import type { Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/engine/deps";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], edit: true, timeout: 1h } }",
};

async function askOften(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await deps.db.approval.findFirstOrThrow({ where: { runId: await own.startAndDrive(by), status: "pending" } })).id);
  return ids;
}

async function approveElsewhere(page: Page, approvalId: string): Promise<void> {
  expect((await page.request.post(`/approvals/${approvalId}/decide`, { headers: { origin: required("BASE_URL") }, data: { decision: "approve" } })).status()).toBe(200);
}

/** Presses in the very moment in which something is there: sooner than any hand that aimed at it. */
async function pressWhenThere(page: Page, words: string, how: "click" | "a", on = ""): Promise<void> {
  await page.evaluate(
    ({ words: sought, how: by, on: card }) => {
      const watcher = new MutationObserver(() => {
        const button = [...document.querySelectorAll<HTMLElement>("article button, article a")].find((element) => element.textContent.trim().startsWith(sought));
        if (!button || !location.pathname.endsWith(card)) return;
        watcher.disconnect();
        const press = () => {
          if (by === "click") button.click();
          else document.body.dispatchEvent(new KeyboardEvent("keydown", { key: by, bubbles: true, cancelable: true }));
          document.body.dataset.pressed = sought;
        };
        // A letter is heard from when the card was painted on; before that it belongs to the card that is awaited.
        if (by === "click") press();
        else requestAnimationFrame(() => requestAnimationFrame(press));
      });
      delete document.body.dataset.pressed;
      watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
    },
    { words, how, on },
  );
}

const isPressed = (page: Page, words: string) => expect(page.locator(`body[data-pressed="${words}"]`)).toBeAttached();
const TOO_SOON = "Nothing was decided: what you see came or changed just now.";
const told = (page: Page) => page.getByRole("region", { name: "Notifications" });

test(verifies("inbox:keys", "a card that came just now is decided by no press that was aimed at what stood there before"), async ({ open, person, deps }) => {
  const [ana, mira] = [await person("reviewer"), await person("reviewer")];
  const own = await openOwnProject(deps, ASKS);
  const [first = "", second = "", third = ""] = await askOften(deps, own, await person("operator"), 3);
  // More dangerous ones are closed anyway until all of them was on the screen.
  await deps.db.approval.updateMany({ where: { id: { in: [first, second, third] } }, data: { danger: "medium" } });
  const inbox = new InboxPage(await open(ana));
  const { page } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await expect(inbox.approve).toBeEnabled();
  await pressWhenThere(page, "Approve", "click", second);
  await page.keyboard.press("j");
  await isPressed(page, "Approve");
  await expect(told(page)).toContainText(TOO_SOON);
  await told(page).getByRole("button", { name: "Dismiss" }).click();
  await expect(told(page)).not.toContainText(TOO_SOON);
  await expect(inbox.approve).toBeEnabled();
  await pressWhenThere(page, "Approve", "a", third);
  await page.keyboard.press("j");
  await isPressed(page, "Approve");
  await expect(told(page)).toContainText(TOO_SOON);
  expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);

  await pressWhenThere(page, "Next", "click", third);
  await approveElsewhere(await open(mira), third);
  await isPressed(page, "Next");
  await expect(inbox.card.getByRole("link", { name: "Next" })).toBeEnabled();
  await expect(page, "the second of two presses on Approve leads nowhere").toHaveURL(new RegExp(third));
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await expect(inbox.approve).toBeEnabled();
  await page.keyboard.press("a");
  await expect(inbox.card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
  await own.close();
});

test(verifies("inbox:keys", "an Enter that is held, or pressed twice, reviews changes and does not approve them"), async ({ open, person, deps }) => {
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
  await pressWhenThere(page, "Approve with changes", "click");
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
});

test(verifies("inbox:keys", "what is typed for the palette before it is there reaches the palette and no call"), async ({ open, person, deps }) => {
  const ana = await person("reviewer");
  const own = await openOwnProject(deps, ASKS);
  const [first = ""] = await askOften(deps, own, await person("operator"), 1);
  const inbox = new InboxPage(await open(ana));
  const { page } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}`);
  await inbox.untilAlive();
  await expect(inbox.approve).toBeEnabled();
  const held = Promise.withResolvers<void>();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
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

  // The focus goes back to Approve with the first Enter, and the second must not press it.
  await page.keyboard.press("Escape");
  await inbox.approve.focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(told(page)).toContainText("Dark theme");
  await expect(inbox.approve).toBeFocused();
  expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
  await own.close();
});

test(verifies("inbox:keys", "no key decides a card that was left for a page which is still on its way"), async ({ open, person, deps }) => {
  const ana = await person("reviewer");
  const own = await openOwnProject(deps, ASKS);
  const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
  const inbox = new InboxPage(await open(ana));
  const { page } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await inbox.untilAlive();
  await expect(inbox.approve).toBeEnabled();
  const held = Promise.withResolvers<void>();
  await page.route(new RegExp(`/inbox/${second}`), async (route) => {
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
  await expect(told(page)).toContainText("another page was asked for");
  await expect(page).toHaveURL(new RegExp(first));
  held.resolve();
  await expect(page).toHaveURL(new RegExp(second));
  expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
  await own.close();
});

test(verifies("inbox:keys", "capitals, keys with a modifier, held keys and keys of an input method decide nothing"), async ({ open, person, deps }) => {
  const ana = await person("reviewer");
  const own = await openOwnProject(deps, ASKS);
  const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
  const inbox = new InboxPage(await open(ana));
  const { page } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await inbox.untilAlive();
  await expect(inbox.approve).toBeEnabled();
  await page.evaluate(() => {
    for (const given of [{ shiftKey: true, key: "A" }, { ctrlKey: true }, { metaKey: true }, { altKey: true }, { repeat: true }, { isComposing: true }, { keyCode: 229 }]) {
      for (const key of ["a", "r"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...given }));
    }
  });
  await expect(inbox.card.getByRole("textbox")).toHaveCount(0);

  for (const id of [first, second]) await inbox.row(id).getByRole("checkbox").check();
  const batch = page.getByRole("region", { name: "Selected calls" });
  await batch.getByRole("button", { name: "Reject 2…" }).click();
  const reason = batch.getByRole("textbox");
  await reason.fill("同じ");
  // Safari tells of the Enter that chooses a word after the composition has ended.
  await reason.evaluate((field) => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true })));
  await expect(batch.getByRole("button", { name: "Reject 2" })).toBeEnabled();
  expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
  await own.close();
});

test(verifies("inbox:changed", "what was typed for other arguments confirms none of the new ones, and what was picked with others is picked no more"), async ({ open, person, deps }) => {
  const [ana, mira] = [await person("reviewer"), await person("reviewer")];
  const own = await openOwnProject(deps, ASKS);
  const [first = "", second = "", third = ""] = await askOften(deps, own, await person("operator"), 3);
  await deps.db.approval.update({ where: { id: first }, data: { danger: "critical" } });
  const inbox = new InboxPage(await open(ana));
  const { page, card } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await inbox.row(second).getByRole("checkbox").check();
  await expect(page.getByText("1 selected")).toBeVisible();
  await inbox.approve.click();
  const confirm = card.getByLabel(/^Type .* to approve$/);
  await confirm.fill("hello");
  for (const id of [first, second]) {
    const { callId } = await deps.db.approval.update({ where: { id }, data: { digest: `sha256:${"0".repeat(64)}` } });
    await deps.db.call.update({ where: { id: callId }, data: { arguments: { text: "hello", to: "everyone" }, digest: `sha256:${"0".repeat(64)}` } });
  }
  await approveElsewhere(await open(mira), third);
  await expect(card.getByRole("row", { name: /^to/ })).toBeVisible();
  await expect(confirm).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Selected calls" })).toHaveCount(0);
  await own.close();
});

test(verifies("inbox:extend", "two presses on Extend add the time once"), async ({ open, person, deps }) => {
  const own = await openOwnProject(deps, ASKS);
  const [id = ""] = await askOften(deps, own, await person("operator"), 1);
  const inbox = new InboxPage(await open(await person("reviewer")));
  await inbox.open(id, `?workflow=${own.workflow}`);
  const end = inbox.card.locator("time").filter({ hasText: "Expires in" });
  const before = Date.parse((await end.getAttribute("datetime")) ?? "");
  const extend = inbox.card.getByRole("button", { name: /^Extend/ });
  await extend.evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise((done) => requestAnimationFrame(done));
    button.click();
  });
  await expect(end).toHaveAttribute("datetime", new Date(before + 30 * 60_000).toISOString());
  await expect(extend).toBeEnabled();
  expect((await deps.db.approval.findUniqueOrThrow({ where: { id } })).expiresAt?.getTime()).toBe(before + 30 * 60_000);
  await own.close();
});
