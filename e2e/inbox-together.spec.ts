import { examine } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { InboxPage } from "./pages/inbox-page";
import { joinPrivacy, ownQueue, startAndWait } from "./pending";
import { verifies } from "./requirements";

/** Deletions are decided by the group privacy; no other test pays or deletes anything through them. */
const TICKET = "T-315";

test(
  verifies(
    "inbox:aside",
    "not now: the call sinks to the end of the own queue, others read the note, and it can be undone",
  ),
  async ({ open, person, deps }) => {
    test.slow();
    const [ana, ben] = [await person("reviewer"), await person("reviewer")];
    await joinPrivacy(deps, [ana, ben]);
    const call = await startAndWait(deps, TICKET);
    const { approvalId, runId } = call;
    const queue = await ownQueue(deps, [call, await startAndWait(deps, TICKET)]);
    const here = new InboxPage(await open(ana));
    const there = new InboxPage(await open(ben));
    await there.open(approvalId);
    await here.open(approvalId, `?${queue}&sort=age`);
    await here.untilAlive();
    await here.page.keyboard.press("n");
    await expect(here.card.getByLabel(/^Note for the others/)).toBeFocused();
    await examine(here.page, "inbox-not-now");
    await here.page.keyboard.type("Waits for finance");
    await here.card.getByText("4 hours").click();
    await here.card.getByRole("button", { name: "Set aside" }).click();
    await expect(here.page).not.toHaveURL(new RegExp(approvalId));
    await here.page.goto("/inbox?aside=1");
    await expect(here.row(approvalId)).toContainText(`note by ${ana.name}`);
    const note = there.card.getByRole("region", { name: "Set aside" });
    await expect(note).toContainText("“Waits for finance”");
    await expect(note).toContainText(ana.name);
    await expect(there.approve).toBeEnabled();
    const aside = { contains: '"type":"approval.set_aside"' };
    const stored = await deps.db.journal.findFirstOrThrow({ where: { runId, body: aside } });
    expect((JSON.parse(stored.body) as { events: object[] }).events[0]).toMatchObject({
      actor: { id: ana.id },
      data: { approval_id: approvalId, note: "Waits for finance" },
    });

    // It comes last, under its own heading, whatever the order.
    await here.page.goto(`/inbox?${queue}&danger=critical&mine=1&sort=danger`);
    await expect(here.queue.getByText("Set aside by you")).toBeVisible();
    await expect(here.queue.getByRole("listitem").last()).toHaveAttribute("data-row", approvalId);
    await examine(here.page, "inbox-sunk");
    await here.open(approvalId);
    await here.card.getByRole("button", { name: "Take up again" }).click();
    await expect(here.page.getByRole("region", { name: "Notifications" })).toContainText("Back in your queue");
    await here.page.goto("/inbox?aside=1");
    await expect(here.row(approvalId)).toHaveCount(0);
  },
);

test(
  verifies("inbox:looking", "who else has the card open is named while they do, in the card and in the queue"),
  async ({ open, person, deps }) => {
    const [ana, ben, viewer] = [await person("reviewer"), await person("reviewer"), await person("viewer")];
    await joinPrivacy(deps, [ana, ben]);
    const call = await startAndWait(deps, TICKET);
    const { approvalId } = call;
    const queue = await ownQueue(deps, [call]);
    const here = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const there = new InboxPage(await open(ben));
    await new InboxPage(await open(viewer)).open(approvalId);
    await here.open(approvalId, `?${queue}&danger=critical&mine=1`);
    await there.open(approvalId);
    await expect(here.card.getByText(`${ben.name} is looking`).filter({ visible: true })).toBeVisible();
    await expect(there.card.getByText(`${ana.name} is looking`).filter({ visible: true })).toBeVisible();
    await expect(here.row(approvalId)).toContainText(`${ben.name} is looking`);
    await expect(here.page.getByText(viewer.name)).toHaveCount(0);
    await examine(here.page, "inbox-looking");
    await there.page.close();
    await expect(here.card.getByText(/is looking/)).toHaveCount(0);
  },
);

test(
  verifies(
    "inbox:comment",
    "a comment with an approval is shown beside it on the card and in the run, and not sent to the agent",
  ),
  async ({ open, person, deps }) => {
    const reviewer: Person = await person("reviewer");
    await joinPrivacy(deps, [reviewer, await person("reviewer")]);
    const { approvalId, runId } = await startAndWait(deps, TICKET);
    const inbox = new InboxPage(await open(reviewer));
    await inbox.open(approvalId);
    await inbox.card.getByRole("button", { name: "Add a comment" }).click();
    await inbox.card.getByLabel(/^Comment with the approval/).fill("Checked the request");
    await expect(inbox.approve).toBeEnabled();
    await examine(inbox.page, "inbox-comment");
    await inbox.approve.click();
    await inbox.card.getByLabel("Type C-201 to approve").fill("C-201");
    await inbox.approve.click();
    await expect(inbox.card.getByText("You approved it; it waits for one more person")).toBeVisible();
    await expect(inbox.card.getByRole("region", { name: /^Decisions/ })).toContainText("“Checked the request”");
    expect(await deps.db.decision.findFirstOrThrow({ where: { approvalId } })).toMatchObject({
      comment: "Checked the request",
      reason: null,
    });
    await inbox.page.goto(`/history/${runId}/approvals`);
    await expect(inbox.page.getByText("said: “Checked the request”")).toBeVisible();
    const { calls, turns } = await deps.db.run.findUniqueOrThrow({
      where: { id: runId },
      include: { calls: true, turns: true },
    });
    expect(JSON.stringify([calls, turns])).not.toContain("Checked the request");
  },
);
