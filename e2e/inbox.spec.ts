import { changeQuestions } from "@/lib/testing/change-question";
import { examine, LOOKS } from "./examine";
import { expect, required, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { InboxPage } from "./pages/inbox-page";
import { openOwnProject } from "./own-project";
import { callOfQuestion, joinPrivacy, ownQueue, type Pending, startAndWait } from "./pending";
import { verifies } from "./requirements";
import { holdPosts } from "./intercept";

// One after the other, because the demo's shop owes the money only once: the calls are asked for before any of them is
// decided, and the tests that pay come last.
test.describe.configure({ mode: "default" });

const REFUNDS = [
  "approve",
  "reject",
  "edit",
  "keys",
  "below",
  "race",
  "expiry",
  "batchOne",
  "batchTwo",
  "viewer",
] as const;
const ERASURES = ["erase", "batchErase"] as const;
const pending = {} as Record<(typeof REFUNDS)[number] | (typeof ERASURES)[number], Pending>;

test.beforeAll(async ({ deps }) => {
  await Promise.all(REFUNDS.map(async (name) => void (pending[name] = await startAndWait(deps, "T-310"))));
  await Promise.all(ERASURES.map(async (name) => void (pending[name] = await startAndWait(deps, "T-315"))));
});

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `the queue and a card, ${look}`), async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer, await person("reviewer")]);
    const page = await open(reviewer, look === "phone" ? { ...options, colorScheme: "dark" } : options);
    const inbox = new InboxPage(page);
    await page.goto("/inbox");
    await expect(inbox.row(pending.approve.approvalId)).toBeVisible();
    await examine(page, `inbox-queue-${look}`, { fullPage: false });
    await inbox.open(pending.erase.approvalId);
    await examine(page, `inbox-critical-${look}`, { fullPage: false });
    await inbox.readArguments();
    await inbox.approve.click();
    await expect(inbox.card.getByLabel("Type C-201 to approve")).toBeFocused();
    await examine(page, `inbox-confirm-${look}`, { fullPage: false });
    await inbox.open(pending.approve.approvalId);
    await examine(page, `inbox-card-${look}`, { fullPage: false });
    await inbox.reject.click();
    await expect(inbox.card.getByLabel("Reason, for the agent and for the record")).toBeFocused();
    await examine(page, `inbox-reject-${look}`, { fullPage: false });
  });
}

test(
  verifies("inbox:reject", "a rejection gives the agent the chosen reason, and the tool is never called"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    await inbox.open(pending.reject.approvalId);
    await expect(inbox.foot.getByText("tells the agent why; it goes on and may try another way.")).toBeVisible();
    await inbox.reject.click();
    await inbox.card.getByRole("button", { name: "Not owed" }).click();
    await expect(inbox.card.getByText('"reason":"Not owed"')).toBeVisible();
    await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(inbox.card.getByText(`Rejected by ${reviewer.name}`, { exact: true })).toBeVisible();
    const call = await callOfQuestion(deps, pending.reject.approvalId);
    expect(call).toMatchObject({ status: "rejected", executingAt: null });
  },
);

test(
  verifies("inbox:keys", "the whole decision is made by keys, and not when they are switched off or someone types"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    const queue = await ownQueue(deps, [pending.keys, pending.below]);
    const [upper = "", lower = ""] = [pending.keys.approvalId, pending.below.approvalId].toSorted();
    await inbox.open(upper, `?${queue}&sort=age`);
    await inbox.untilAlive();
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: /Single keys are on/ }).uncheck();
    await inbox.closeMap();
    await page.keyboard.press("r");
    await expect(inbox.card.getByLabel("Reason, for the agent and for the record")).toHaveCount(0);
    await page.getByRole("button", { name: "Keyboard map" }).click();
    await page.getByRole("checkbox", { name: /Single keys are on/ }).check();
    await inbox.closeMap();
    await page.keyboard.press("r");
    await page.keyboard.type("jar jk a");
    await expect(inbox.card.getByLabel("Reason, for the agent and for the record")).toHaveValue("jar jk a");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await expect(page).toHaveURL(new RegExp(lower));
    await page.keyboard.press("k");
    await expect(page).toHaveURL(new RegExp(upper));
    await page.keyboard.press("r");
    await page.keyboard.type("Wrong customer");
    await page.keyboard.press("Control+Enter");
    await expect(inbox.card.getByText(`Rejected by ${reviewer.name}`, { exact: true })).toBeVisible();
  },
);

test(
  verifies("inbox:critical", "no single key approves a critical call: its value is typed, and two people are needed"),
  async ({ open, person, deps }) => {
    const [one, other] = [await person("reviewer"), await person("reviewer")];
    await joinPrivacy(deps, [one, other]);
    const page = await open(one);
    const inbox = new InboxPage(page);
    await inbox.open(pending.erase.approvalId);
    await inbox.untilAlive();
    await expect(inbox.approve).toBeEnabled();
    await page.keyboard.press("a");
    const typed = inbox.card.getByLabel("Type C-201 to approve");
    await expect(typed).toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.type("C-20");
    await page.keyboard.press("Enter");
    await expect(typed).toHaveAccessibleDescription("Type C-201, exactly as it stands there. Nothing was sent.");
    expect(await deps.db.decision.count({ where: { approvalId: pending.erase.approvalId } })).toBe(0);
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await expect(inbox.card.getByText("You approved it; it waits for one more person")).toBeVisible();
    const second = await open(other);
    const also = new InboxPage(second);
    await also.open(pending.erase.approvalId);
    await also.reject.click();
    await also.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(also.card.getByText(`Rejected by ${other.name}`, { exact: true })).toBeVisible();
    await expect(inbox.card.getByText(`Rejected by ${other.name}`, { exact: true })).toBeVisible();
  },
);

test(
  verifies(
    "inbox:race",
    "two people on one card: the first decides, the other sees at once who it was, and a late click says that it was not recorded",
  ),
  async ({ open, person }) => {
    const [first, second] = [await person("reviewer"), await person("reviewer")];
    const [here, there] = [new InboxPage(await open(first)), new InboxPage(await open(second))];
    await here.open(pending.race.approvalId);
    await there.open(pending.race.approvalId);
    // The late click is in progress when the other decision is recorded.
    const release = await holdPosts(there.page, /inbox/);
    await there.approve.click();
    await here.reject.click();
    await here.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(here.card.getByText(`Rejected by ${first.name}`, { exact: true })).toBeVisible();
    release();
    await expect(there.card.getByText(`Rejected by ${first.name}`, { exact: true })).toBeVisible();
    await expect(there.card.getByText("Not recorded: someone was quicker")).toBeVisible();
  },
);

test(
  verifies(
    "inbox:expiry",
    verifies(
      "console:times",
      "a call that expires while it is open says so, by the reader's own clock, and can no longer be decided",
    ),
  ),
  async ({ open, person, deps }) => {
    const page = await open(await person("reviewer"), { timezoneId: "Asia/Tokyo", locale: "en-GB" });
    const inbox = new InboxPage(page);
    await changeQuestions(deps.db, [pending.expiry.approvalId], {
      approval: { expiresAt: new Date(Date.now() + 6_000) },
    });
    await inbox.open(pending.expiry.approvalId);
    await expect(inbox.card.getByText(/^Expired (just now|\d+ min ago)$/)).toBeVisible();
    await expect(inbox.card.getByText(/^Expired/).locator("time")).toHaveAttribute("title", /GMT\+9$/);
    await expect(inbox.card.getByText(/^Expired/)).not.toContainText(/UTC|\d{4}-\d\d-\d\d/);
    await expect(inbox.card.getByText("Nobody decided in time. It was never sent.")).toBeVisible();
    await expect(inbox.approve).toHaveCount(0);
  },
);

test(
  verifies("inbox:batch", "a batch decides one after the other and reports each, and a critical call cannot be picked"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer]);
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    await inbox.open(
      pending.batchErase.approvalId,
      `?${await ownQueue(deps, [pending.batchOne, pending.batchTwo, pending.batchErase])}`,
    );
    await inbox.untilAlive();
    const critical = inbox.row(pending.batchErase.approvalId);
    await expect(inbox.approve, "it is theirs to decide").toBeEnabled();
    await expect(critical.getByRole("checkbox")).toHaveCount(0);
    await page.keyboard.press("x");
    await expect(page.getByText("1 selected")).toHaveCount(0);
    for (const { approvalId } of [pending.batchOne, pending.batchTwo])
      await inbox.row(approvalId).getByRole("checkbox").check();
    const bar = page.getByRole("region", { name: "Selected calls" });
    await expect(bar.getByText("2 selected")).toBeVisible();
    await expect(bar.getByRole("button", { name: /^Select all/ }), "there are no more to pick").toHaveCount(0);
    await bar.getByRole("button", { name: "Reject 2…" }).click();
    await expect(bar.getByPlaceholder("Reason, told to the agents")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(bar.getByRole("button", { name: "Reject 2" }), "an empty reason is not sent by Enter").toBeEnabled();
    await bar.getByLabel("Reason for all of them").fill("Not today");
    await bar.getByRole("button", { name: "Reject 2" }).click();
    await expect(bar.getByText("rejected", { exact: true })).toHaveCount(2);
    await expect(bar.getByText("Done: 2 of 2 recorded")).toBeVisible();
    await expect(critical).toBeVisible();
    await examine(page, "inbox-batch-done", { fullPage: false });
    expect(await deps.db.decision.count({ where: { approvalId: pending.batchErase.approvalId } })).toBe(0);
    expect(
      await deps.db.decision.count({
        where: {
          approvalId: { in: [pending.batchOne.approvalId, pending.batchTwo.approvalId] },
          verdict: "rejected",
          reason: "Not today",
        },
      }),
    ).toBe(2);
  },
);

test(verifies("inbox:who", "people who cannot decide see why and who could"), async ({ open, person }) => {
  const page = await open(await person("viewer"));
  const inbox = new InboxPage(page);
  await inbox.open(pending.viewer.approvalId);
  await expect(inbox.card.getByText("You cannot decide this call")).toBeVisible();
  await expect(inbox.card.getByText(/The role viewer does not include deciding/)).toBeVisible();
  await expect(inbox.approve).toHaveCount(0);
  await expect(inbox.row(pending.viewer.approvalId)).toContainText("not yours to decide");
});

test(
  verifies(
    "inbox:live",
    "a new call appears in the queue and in the navigation without a reload, and an unknown card is not found",
  ),
  async ({ open, person, deps }) => {
    const page = await open(await person("reviewer"));
    const inbox = new InboxPage(page);
    const own = await openOwnProject(deps, {
      script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
      allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
    });
    await page.goto(`/inbox?workflow=${own.workflow}`);
    await inbox.untilAlive();
    await expect(page.getByText("No pending call fits these filters.")).toBeVisible();
    const runId = await own.startAndDrive(await person("operator"));
    const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } });
    await expect(inbox.row(id)).toBeVisible();
    await expect(new ConsolePage(page).nav.getByText(/\d+\+? waiting/)).toBeVisible();
    expect((await page.goto("/inbox/apr_00000000000000000000000000"))?.status()).toBe(404);
    expect((await fetch(`${required("BASE_URL")}/live/inbox`)).status).toBe(401);
    await own.close();
  },
);

test(
  verifies("inbox:size", "the first load of the inbox takes less than 200 KB of script"),
  async ({ open, person }) => {
    const page = await open(await person("reviewer"));
    const inbox = new InboxPage(page);
    await inbox.open(pending.viewer.approvalId);
    await inbox.untilAlive();
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024);
  },
);

test(
  verifies(
    "inbox:seen",
    verifies(
      "inbox:hidden",
      "a long value of a high call is folded with its length, and Approve is enabled when all of it was on the screen",
    ),
  ),
  async ({ open, person, deps }) => {
    const { approvalId } = pending.viewer;
    await changeQuestions(deps.db, [approvalId], {
      approval: { danger: "high" },
      call: {
        arguments: {
          order_id: "A-1042",
          amount: 196.5,
          currency: "EUR",
          reason: `${"word ".repeat(900)}pay \u202Eevil`,
        },
      },
    });
    const page = await open(await person("reviewer"));
    const inbox = new InboxPage(page);
    await inbox.open(approvalId);
    // How many are below the screen's edge depends on the rest of the card; the folded one is never seen whole.
    for (const row of await inbox.card.getByRole("row").all()) await row.scrollIntoViewIfNeeded();
    await expect(inbox.card.getByText(/Approve opens when all arguments were on the screen; 1 is left/)).toBeVisible();
    await expect(inbox.approve).toBeDisabled();
    await inbox.card.getByRole("button", { name: "Show all 4,509 characters" }).click();
    await expect(inbox.approve).toBeDisabled();
    await inbox.card.getByText("⟨U+202E⟩").scrollIntoViewIfNeeded();
    await expect(inbox.approve).toBeEnabled();
  },
);

test(
  verifies(
    "inbox:card",
    "a card says what will happen, why it is asked, and exactly what would be sent; an approved call shows its result on the same card",
  ),
  async ({ open, person }) => {
    const reviewer = await person("reviewer");
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    await inbox.open(pending.approve.approvalId);
    await expect(inbox.card.getByRole("heading", { level: 2 })).toHaveText("Refund 196.5 EUR for order A-1042");
    await expect(inbox.card.getByText(/agents\/clerk\.agent\.yaml:\d+/).first()).toBeVisible();
    await expect(inbox.card.getByRole("row", { name: /amount/ })).toContainText("196.5");
    await expect(page).toHaveTitle(/^\(\d+\+?\) Inbox/);
    await inbox.approve.click();
    await expect(inbox.card.getByText(`Approved by ${reviewer.name}, and done`)).toBeVisible();
    await expect(inbox.card.getByRole("heading", { name: /^Result/ })).toBeVisible();
    await expect(inbox.row(pending.approve.approvalId)).toHaveCount(0);
    await examine(page, "inbox-decided-desk", { fullPage: false });
    const phone = await open(reviewer, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await new InboxPage(phone).open(pending.approve.approvalId);
    await examine(phone, "inbox-decided-phone", { fullPage: false });
  },
);

test(
  verifies(
    "inbox:edit",
    "edited arguments keep their types, are shown as proposed and effective, and are what is sent",
  ),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    await inbox.open(pending.edit.approvalId);
    await inbox.edit.click();
    const amount = inbox.card.getByRole("textbox", { name: /^amount/ });
    await amount.fill("a lot");
    await inbox.card.getByRole("button", { name: "Review changes" }).click();
    await expect(inbox.card.getByText("amount is not a number; write it like 196.5.")).toBeVisible();
    await expect(amount).toBeFocused();
    await amount.fill("30.50");
    await inbox.card.getByRole("button", { name: "Review changes" }).click();
    await expect(inbox.card.getByRole("row", { name: "amount 196.5 30.5" })).toBeVisible();
    await inbox.card.getByRole("button", { name: "Approve with changes" }).click();
    await expect(inbox.card.getByText(`Approved by ${reviewer.name}, and done`)).toBeVisible();
    const call = await callOfQuestion(deps, pending.edit.approvalId);
    expect(JSON.parse(call.argumentsCanonical)).toMatchObject({ amount: 30.5, order_id: "A-1042" });
    const run = () => deps.db.run.findUniqueOrThrow({ where: { id: pending.edit.runId } });
    await expect
      .poll(async () => (await run()).status, { message: "the agent goes on with what was sent" })
      .toBe("complete");
    expect((await run()).output).toMatchObject({ done: true, refunded: 30.5 });
  },
);
