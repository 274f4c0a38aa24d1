import { eventsOfBody } from "@/lib/runs/journal/entry";
import { examine, LOOKS } from "../examine";
import { expect, test } from "../fixtures";
import { InboxPage } from "../pages/inbox-page";
import { startAndWait } from "../pending";
import { verifies } from "../requirements";

test(
  verifies("console:pause", "by a button, visible to everyone; an approved call waits for its end and is sent once"),
  async ({ open, person, deps }) => {
    const [admin, reviewer] = [await person("admin"), await person("reviewer")];
    const { runId, approvalId } = await startAndWait(deps, "T-312");
    const page = await open(admin);
    await page.goto("/settings/all-calls");
    await expect(page.getByText("Not paused.")).toBeVisible();
    await page.getByRole("button", { name: "Pause all calls…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause all calls" }).click();
    const banner = page.getByRole("status").filter({ hasText: "All calls are paused" });
    await expect(banner).toContainText(`by ${admin.name}`);

    const inbox = new InboxPage(await open(reviewer));
    await inbox.open(approvalId);
    await expect(inbox.page.getByRole("status").filter({ hasText: "All calls are paused" })).toBeVisible();
    await expect(inbox.foot.getByText("is recorded now; the call is sent, once, when calls go again.")).toBeVisible();
    await inbox.approve.click();
    await expect
      .poll(async () => (await deps.db.approval.findUniqueOrThrow({ where: { id: approvalId } })).status)
      .toBe("approved");
    for (const { look, options } of LOOKS) {
      const looked = await open(reviewer, options);
      await looked.goto(`/inbox/${approvalId}`);
      await examine(looked, `inbox-paused-${look}`);
      expect(
        await looked.evaluate(() => document.documentElement.scrollHeight - window.innerHeight),
        "the queue and the card scroll, not the page",
      ).toBeLessThanOrEqual(look === "phone" ? Number.POSITIVE_INFINITY : 0);
    }
    const call = () => deps.db.call.findFirstOrThrow({ where: { runId, tool: "issue-refund" } });
    expect(await call()).toMatchObject({ status: "approved", executingAt: null });

    await page.getByRole("button", { name: "Let calls go…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Let calls go" }).click();
    await expect(banner).toHaveCount(0);
    await expect.poll(async () => (await call()).executingAt).not.toBeNull();
    // A row of the journal may hold the start of another call beside what is said of this one, so events are counted.
    const { id } = await call();
    const rows = await deps.db.journal.findMany({ where: { runId }, select: { body: true } });
    const events = rows.flatMap(({ body }) => eventsOfBody(body));
    expect(events.filter(({ type, data }) => type === "call.executing" && data.call_id === id)).toHaveLength(1);
  },
);
