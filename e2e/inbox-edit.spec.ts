import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { examine, LOOKS } from "./examine";
import { expect, type Person, required, signInHere, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { callOfQuestion } from "./pending";
import { verifies } from "./requirements";

const ALLOWLIST = "- { name: echo, require_approval: { approvers: [reviewer], edit: true } }";
const scriptOf = (args: string) => `agents: { worker: { turns: [{ call: [{ tool: echo, arguments: ${args} }] }] } }\n`;

async function ask(deps: EngineDeps, own: OwnProject, by: Person): Promise<string> {
  const runId = await own.startAndDrive(by);
  return (await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } })).id;
}

for (const { look, options } of LOOKS) {
  test(
    verifies(
      "inbox:hidden",
      verifies("ui:accessible", `the form for changes and its review hide no character, ${look}`),
    ),
    async ({ open, person, deps }) => {
      const own = await openOwnProject(deps, {
        script: scriptOf('{ text: "pay \\u202Eevil", "na\\u200Bme": "x" }'),
        allowlist: ALLOWLIST,
      });
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
    },
  );
}

test(
  verifies("inbox:edit", "the review of a long text shows from its beginning what will be sent, beside what ends it"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, {
      script: scriptOf(`{ text: "${"A customer was charged twice. ".repeat(60)}" }`),
      allowlist: ALLOWLIST,
    });
    const inbox = new InboxPage(await open(await person("reviewer"), { viewport: { width: 1280, height: 720 } }));
    const { card } = inbox;
    const id = await ask(deps, own, await person("operator"));
    await changeQuestions(deps.db, [id], { approval: { danger: "medium" } });
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
  },
);

test(
  verifies(
    "inbox:critical",
    "a changed critical call is confirmed by a value that will be sent, not by the removed one",
  ),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, { script: scriptOf("{ text: C-201 }"), allowlist: ALLOWLIST });
    const id = await ask(deps, own, await person("operator"));
    await changeQuestions(deps.db, [id], { approval: { danger: "critical" } });
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
    const call = await callOfQuestion(deps, id);
    expect(JSON.parse(call.argumentsCanonical)).toEqual({ text: "C-202" });
    await own.close();
  },
);

test(
  verifies(
    "inbox:drafts",
    "Esc and Back keep the reason, the comment, the note and the changes; another card has none of them",
  ),
  async ({ open, person, deps }) => {
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
    for (const [key, field, words] of [
      ["r", reason, "Not asked for"],
      ["n", note, "Waits for finance"],
      ["e", text, "hello you"],
      ["c", comment, "Checked the books"],
    ] as const) {
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
  },
);

test(
  verifies(
    "inbox:drafts",
    "text survives another card and a reload, until it is sent or the call has ended; changed arguments are never stored, and the next person sees nothing",
  ),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, { script: scriptOf("{ text: hello }"), allowlist: ALLOWLIST });
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const [first, second, third] = [
      await ask(deps, own, operator),
      await ask(deps, own, operator),
      await ask(deps, own, operator),
    ];
    const inbox = new InboxPage(await open(ana));
    const { card, page } = inbox;
    const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
    const reason = card.getByLabel("Reason, for the record");
    const comment = card.getByLabel(/^Comment with the approval/);
    const note = card.getByLabel(/^Note for the others/);
    const write = async (key: string, field: typeof reason, words: string) => {
      await page.keyboard.press(key);
      await field.fill(words);
      await page.keyboard.press("Escape");
      await expect(field).toHaveCount(0);
    };
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await write("r", reason, "Not asked for");
    await write("n", note, "Waits for finance");
    await write("e", card.getByRole("textbox", { name: "text" }), "4111 1111");
    await page.keyboard.press("c");
    await comment.fill("Checked the books");
    expect(await kept()).not.toContain("4111");
    await inbox.row(second).getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(second));
    await expect(comment).toHaveCount(0);
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await expect(comment).toHaveValue("Checked the books");
    await expect(card.getByText("Written and not sent: a reason and a note.")).toBeVisible();
    await examine(page, "inbox-written", { fullPage: false });

    // What was sent is no longer kept.
    await card.getByRole("button", { name: /^Not now/ }).click();
    await expect(note).toHaveValue("Waits for finance");
    await card.getByRole("button", { name: "Set aside" }).click();
    await expect(page).not.toHaveURL(new RegExp(first));
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await expect(card.getByText("Written and not sent: a reason.")).toBeVisible();
    await inbox.reject.click();
    await expect(reason).toHaveValue("Not asked for");
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(card.getByText(`Rejected by ${ana.name}`, { exact: true })).toBeVisible();
    expect(await kept()).not.toMatch(/Not asked for|Waits for finance|Checked the books/);

    // Nor what was written on a call that someone else decides.
    await inbox.open(second);
    await inbox.reject.click();
    await reason.fill("Half a tho");
    expect(
      (
        await (
          await open(ben)
        ).request.post(`/approvals/${second}/decide`, {
          headers: { origin: required("BASE_URL") },
          data: { decision: "reject" },
        })
      ).status(),
    ).toBe(200);
    await expect(inbox.foot.getByText("Half a tho", { exact: true })).toBeVisible();
    await expect.poll(kept).not.toContain("Half a tho");
    await page.reload();
    await expect(card.getByText(`Rejected by ${ben.name}`, { exact: true })).toBeVisible();
    await expect(inbox.foot.getByText("Half a tho")).toHaveCount(0);

    await inbox.open(third);
    await inbox.reject.click();
    await reason.fill("Ana's own words");
    expect(await kept()).toContain("Ana's own words");
    await signInHere(page, ben);
    await inbox.open(third);
    await inbox.reject.click();
    await expect(reason).toHaveValue("");
    expect(await kept()).not.toContain("Ana's own words");
    await own.close();
  },
);
