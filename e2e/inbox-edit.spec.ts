import type { EngineDeps } from "@/lib/engine/deps";
import { examine, LOOKS } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

const ALLOWLIST = "- { name: echo, require_approval: { approvers: [reviewer], edit: true } }";
const scriptOf = (args: string) => `agents: { worker: { turns: [{ call: [{ tool: echo, arguments: ${args} }] }] } }\n`;

async function ask(deps: EngineDeps, own: OwnProject, by: Person): Promise<string> {
  const runId = await own.startAndDrive(by);
  return (await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } })).id;
}

for (const { look, options } of LOOKS) {
  test(verifies("inbox:hidden", verifies("ui:accessible", `the form for changes and its review hide no character, ${look}`)), async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, { script: scriptOf('{ text: "pay \\u202Eevil", "na\\u200Bme": "x" }'), allowlist: ALLOWLIST });
    const inbox = new InboxPage(await open(await person("reviewer"), options));
    const { card, page } = inbox;
    await inbox.open(await ask(deps, own, await person("operator")));
    await inbox.edit.click();
    const text = card.getByRole("textbox", { name: "text" });
    await expect(text).toHaveAccessibleDescription(/As proposed it holds what cannot be seen here: ⟨U\+202E⟩/);
    await expect(card.getByRole("textbox", { name: "na⟨U+200B⟩me" })).toBeVisible();
    await examine(page, `inbox-edit-${look}`, { fullPage: false });
    await text.fill("pay\u2066 less");
    await card.getByRole("checkbox", { name: "send na⟨U+200B⟩me" }).uncheck();
    await card.getByRole("button", { name: "Review changes" }).click();
    await expect(card.getByRole("row", { name: 'text "pay ⟨U+202E⟩evil" "pay⟨U+2066⟩ less"' })).toBeVisible();
    await expect(card.getByRole("row", { name: 'na⟨U+200B⟩me "x" not sent' })).toBeVisible();
    await examine(page, `inbox-edit-review-${look}`, { fullPage: false });
    await own.close();
  });
}

test(verifies("inbox:edit", "the review of a long text shows from its beginning what will be sent, beside what ends it"), async ({ open, person, deps }) => {
  const own = await openOwnProject(deps, { script: scriptOf(`{ text: "${"A customer was charged twice. ".repeat(60)}" }`), allowlist: ALLOWLIST });
  const inbox = new InboxPage(await open(await person("reviewer"), { viewport: { width: 1280, height: 720 } }));
  const { card } = inbox;
  const id = await ask(deps, own, await person("operator"));
  await deps.db.approval.update({ where: { id }, data: { danger: "medium" } });
  await inbox.open(id);
  await card.getByRole("button", { name: /^Show all/ }).click();
  await inbox.edit.click();
  await card.getByRole("textbox", { name: "text" }).fill("Refund once");
  await card.getByRole("button", { name: "Review changes" }).click();
  await expect(card.getByRole("button", { name: "Approve with changes" })).toBeFocused();
  await expect(card.getByText('"Refund once"', { exact: true })).toBeInViewport();
  await expect(card.getByRole("columnheader", { name: "Effective" })).toBeInViewport();
  await expect(card.getByRole("button", { name: "Approve with changes" })).toBeInViewport();
  await own.close();
});

test(verifies("inbox:critical", "a changed critical call is confirmed by a value that will be sent, not by the one that was taken out"), async ({ open, person, deps }) => {
  const own = await openOwnProject(deps, { script: scriptOf("{ text: C-201 }"), allowlist: ALLOWLIST });
  const id = await ask(deps, own, await person("operator"));
  await deps.db.approval.update({ where: { id }, data: { danger: "critical" } });
  const reviewer = await person("reviewer");
  const inbox = new InboxPage(await open(reviewer));
  const { card } = inbox;
  await inbox.open(id);
  await inbox.edit.click();
  await card.getByRole("textbox", { name: "text" }).fill("C-202");
  await card.getByRole("button", { name: "Review changes" }).click();
  const typed = card.getByLabel("Type C-202 to approve");
  const approve = card.getByRole("button", { name: "Approve with changes" });
  await typed.fill("C-201");
  await expect(approve).toBeDisabled();
  await typed.fill("C-202");
  await approve.click();
  await expect(card.getByText(new RegExp(`^Approved by ${reviewer.name}`)).first()).toBeVisible();
  const call = await deps.db.call.findFirstOrThrow({ where: { approvals: { some: { id } } } });
  expect(JSON.parse(call.argumentsCanonical)).toEqual({ text: "C-202" });
  await own.close();
});

test(verifies("inbox:drafts", "Esc and Back keep the reason, the comment, the note and the changes; another card has none of them"), async ({ open, person, deps }) => {
  const own = await openOwnProject(deps, { script: scriptOf("{ text: hello }"), allowlist: ALLOWLIST });
  const operator = await person("operator");
  const [first, second] = [await ask(deps, own, operator), await ask(deps, own, operator)];
  const inbox = new InboxPage(await open(await person("reviewer")));
  const { card, page } = inbox;
  await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
  await inbox.untilAlive();
  const reason = card.getByLabel("Reason, for the record");
  const comment = card.getByLabel(/^Comment with the approval/);
  const note = card.getByLabel(/^Note for the others/);
  const text = card.getByRole("textbox", { name: "text" });
  for (const [key, field, words] of [["r", reason, "Not asked for"], ["n", note, "Waits for finance"], ["e", text, "hello you"], ["c", comment, "Checked the books"]] as const) {
    await page.keyboard.press(key);
    await field.fill(words);
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
    await page.keyboard.press(key);
    await expect(field).toHaveValue(words);
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
  }
  await page.keyboard.press("j");
  await expect(page).toHaveURL(new RegExp(second));
  await expect(inbox.row(second).getByRole("link")).toHaveAttribute("aria-current", "page");
  await page.keyboard.press("r");
  await expect(reason).toHaveValue("");
  expect(await deps.db.decision.count({ where: { approvalId: { in: [first, second] } } })).toBe(0);
  await own.close();
});
