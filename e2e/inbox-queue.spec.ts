import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions, expireQuestions } from "@/lib/testing/change-question";
import { examine } from "./examine";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { copyPending } from "./pending";
import { verifies } from "./requirements";
import { holdPosts, intercept } from "./intercept";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
};

async function ask(deps: EngineDeps, own: OwnProject, by: Person): Promise<string> {
  const runId = await own.startAndDrive(by);
  return (await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } })).id;
}

async function askOften(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await ask(deps, own, by));
  return ids;
}

test(
  verifies(
    "inbox:aim",
    "a call decided by another person keeps its place under the pointer, a new one is announced, and both update when it leaves",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = ""] = await askOften(deps, own, operator, 3);
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    await inbox.page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    const item = (place: number) => inbox.queue.getByRole("listitem").nth(place);
    await inbox.row(third).hover();
    const aimed = await inbox.row(third).boundingBox();

    const other = await open(ben);
    expect(
      (
        await other.request.post(`/approvals/${first}/decide`, {
          headers: { origin: required("BASE_URL") },
          data: { decision: "reject" },
        })
      ).status(),
    ).toBe(200);
    await expect(item(0)).toContainText("no longer waits");
    await expect(item(0).getByRole("checkbox")).toHaveCount(0);
    const fourth = await ask(deps, own, operator);
    await expect(inbox.page.getByRole("button", { name: "Show 1 new call" })).toBeVisible();
    await expect(inbox.queue.getByRole("listitem")).toHaveCount(3);
    expect(await inbox.row(third).boundingBox()).toEqual(aimed);
    await examine(inbox.page, "inbox-held");

    await inbox.page.getByRole("heading", { level: 1 }).hover();
    await expect(item(0)).toHaveAttribute("data-row", second);
    await expect(item(2)).toHaveAttribute("data-row", fourth);
    await expect(inbox.page.getByRole("button", { name: /^Show .* new call/ })).toHaveCount(0);
    await own.close();
  },
);

test(
  verifies("inbox:aim", "what moves up from the next page is placed below the last row, and is not announced as new"),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const first = await ask(deps, own, operator);
    const copies = await copyPending(deps, first, 54);
    const last = await ask(deps, own, operator);
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    await inbox.page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await inbox.row(first).hover();
    const items = inbox.queue.getByRole("listitem");
    await expect(items).toHaveCount(50);
    await expireQuestions(deps.db, copies.ids.slice(0, 3));
    // What the page is notified of: a call on the next page is decided.
    expect(
      (
        await (
          await open(ben)
        ).request.post(`/approvals/${last}/decide`, {
          headers: { origin: required("BASE_URL") },
          data: { decision: "reject" },
        })
      ).status(),
    ).toBe(200);
    await expect(items).toHaveCount(53);
    await expect(items.nth(52)).toHaveAttribute("data-row", copies.ids[51] ?? "");
    await expect(items.filter({ hasText: "no longer waits" })).toHaveCount(3);
    await expect(inbox.page.getByRole("button", { name: /^Show .* call/ })).toHaveCount(0);
    await inbox.page.close();
    await copies.remove();
    await own.close();
  },
);

test(
  verifies(
    "inbox:place",
    "picked calls stay picked, the list stays where it was scrolled to, and two quick presses go two rows down",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 8);
    const at = (place: number) => ids[place] ?? "";
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 420 } }));
    await inbox.open(at(0), `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await inbox.page.keyboard.press("j");
    await inbox.page.keyboard.press("j");
    await expect(inbox.page).toHaveURL(new RegExp(at(2)));
    await expect(inbox.row(at(2)).getByRole("link")).toHaveAttribute("aria-current", "page");

    for (const place of [1, 3]) await inbox.row(at(place)).getByRole("checkbox").check();
    await inbox.row(at(6)).scrollIntoViewIfNeeded();
    const scrolled = await inbox.queue.evaluate((list) => list.scrollTop);
    expect(scrolled).toBeGreaterThan(0);
    await inbox.row(at(6)).getByRole("link").click();
    await expect(inbox.row(at(6)).getByRole("link")).toHaveAttribute("aria-current", "page");
    await expect(inbox.page.getByText("2 selected")).toBeVisible();
    expect(await inbox.queue.evaluate((list) => list.scrollTop)).toBe(scrolled);
    expect(await deps.db.decision.count({ where: { approvalId: { in: ids } } })).toBe(0);
    await own.close();
  },
);

test(
  verifies(
    "inbox:batch",
    "a call that another decided meanwhile and a dangerous one that was not seen are distinguished from those recorded",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", taken = "", third = "", high = ""] = await askOften(deps, own, operator, 4);
    await changeQuestions(deps.db, [first, taken, third], { approval: { danger: "medium" } });
    await changeQuestions(deps.db, [high], { approval: { danger: "high" } });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.row(first).getByRole("checkbox").check();
    const bar = page.getByRole("region", { name: "Selected calls" });
    await bar.getByRole("button", { name: "Select all 4" }).click();
    const release = await holdPosts(page, /\/inbox/);
    await expect(bar.getByText("3 of 4 can be approved; 1 of high danger was not looked at.")).toBeVisible();
    await bar.getByRole("button", { name: "Approve 3" }).click();
    const other = await open(ben);
    expect(
      (
        await other.request.post(`/approvals/${taken}/decide`, {
          headers: { origin: required("BASE_URL") },
          data: { decision: "reject" },
        })
      ).status(),
    ).toBe(200);
    release();
    await expect(bar.getByRole("status")).toHaveText("Done: 2 of 3 recorded; 1 selected");
    const result = (id: string) => bar.getByRole("listitem").filter({ has: page.locator(`a[href="/inbox/${id}"]`) });
    for (const id of [first, third]) await expect(result(id)).toContainText(": approved");
    await expect(result(taken)).toContainText(`not recorded. ${ben.name} rejected it. Nothing was changed`);
    await expect(inbox.row(high).getByRole("checkbox"), "what was not sent stays picked").toBeChecked();
    await expect(bar.getByRole("button", { name: "Approve 0" })).toBeDisabled();
    await examine(page, "inbox-batch-partly", { fullPage: false });
    const verdicts = await deps.db.decision.findMany({
      where: { approvalId: { in: [first, taken, third, high] } },
      orderBy: { approvalId: "asc" },
    });
    expect(verdicts.map(({ approvalId, verdict, userId }) => [approvalId, verdict, userId])).toEqual([
      [first, "approved", ana.id],
      [taken, "rejected", ben.id],
      [third, "approved", ana.id],
    ]);
    // Once it was on the screen it can be approved, also after a reload.
    await inbox.row(high).getByRole("link").click();
    await expect(bar.getByRole("button", { name: "Approve 1" })).toBeEnabled();
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.row(high).getByRole("checkbox").check();
    await expect(bar.getByRole("button", { name: "Approve 1" })).toBeEnabled();
    await own.close();
  },
);

test(
  verifies(
    "inbox:batch",
    "a batch says whose run a rejection ends, and can be stopped: what was not sent stays picked",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = ""] = await askOften(deps, own, operator, 3);
    await changeQuestions(deps.db, [third], { approval: { onReject: "recover" } });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    for (const id of [first, second, third]) await inbox.row(id).getByRole("checkbox").check();
    const bar = page.getByRole("region", { name: "Selected calls" });
    await bar.getByRole("button", { name: "Reject 3…" }).click();
    const reason = bar.getByLabel("Reason for all of them");
    await expect(reason).toHaveAccessibleDescription(
      "2 of 3 end their step, as a rule with the run, and their agents are told nothing. The other agent reads the reason.",
    );
    await expect(reason).toHaveAttribute("placeholder", "Reason, for the record");
    await examine(page, "inbox-batch-reason", { fullPage: false });
    await reason.fill("Not today");
    const release = await holdPosts(page, /\/inbox/);
    await page.keyboard.press("Enter");
    await expect(bar.getByRole("status")).toHaveText("Rejecting 1 of 3…");
    await bar.getByRole("button", { name: "Stop" }).click();
    await expect(bar.getByRole("status")).toHaveText("Stopping after 1 of 3…");
    release();
    await expect(bar.getByRole("status")).toHaveText("Stopped: 1 of 1 recorded, 2 not sent");
    for (const id of [second, third]) await expect(inbox.row(id).getByRole("checkbox")).toBeChecked();
    await examine(page, "inbox-batch-stopped", { fullPage: false });
    expect(await deps.db.decision.count({ where: { approvalId: { in: [first, second, third] } } })).toBe(1);
    await bar.getByRole("button", { name: "Reject 2…" }).click();
    await bar.getByRole("button", { name: "Reject 2" }).click();
    await expect(page.getByText("No pending call fits these filters.")).toBeVisible();
    await expect(bar.getByRole("status"), "although the queue is empty now").toHaveText("Done: 2 of 2 recorded");
    await own.close();
  },
);

test(
  verifies("inbox:place", "under another order or filter J opens the first call, not the former next one"),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 4);
    const at = (place: number) => ids[place] ?? "";
    await changeQuestions(deps.db, ids, { approval: { danger: "medium" } });
    await changeQuestions(deps.db, [at(3)], { approval: { danger: "critical" } });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    await inbox.open(at(1), `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await page.getByRole("combobox", { name: "Order" }).selectOption({ label: "By danger" });
    await expect(page).toHaveURL(/\/inbox\?.*sort=danger/);
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("j");
    await expect(page).toHaveURL(new RegExp(at(3)));
    await own.close();
  },
);

test(
  verifies("inbox:filters:pending", "on a chip and on a list, while what was shown stays"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const approvalId = await ask(deps, own, await person("operator"));
    const page = await open(await person("reviewer"));
    const inbox = new InboxPage(page);
    await page.goto(`/inbox?workflow=${own.workflow}`);
    const held = Promise.withResolvers<void>();
    await intercept(page, /\/inbox\?.*(danger=critical|sort=age)/, async (route) => {
      if (!route.request().headers()["next-router-prefetch"]) await held.promise;
      await route.continue();
    });
    const chip = page.getByRole("navigation", { name: "Filter" }).getByRole("link", { name: /^Critical/ });
    await chip.click();
    await expect(chip.locator(".working-bar")).toBeVisible();
    await expect(inbox.row(approvalId)).toBeVisible();
    const order = page.getByRole("combobox", { name: "Order" });
    await order.selectOption({ label: "By age" });
    await expect(order.locator("option:checked"), "what was chosen shows at once").toHaveText("By age");
    await expect(page.locator("[aria-busy=true]").filter({ has: order }).locator(".working-bar")).toBeVisible();
    held.resolve();
    await expect(page).toHaveURL(/sort=age/);
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await own.close();
  },
);

test(
  verifies(
    "inbox:place",
    "J makes one request for each card and stays within the page, and nothing is prefetched for unopened rows",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 5);
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    const ahead: string[] = [];
    page.on("request", (request) => {
      if (/\/inbox\/apr_/.test(request.url()) && request.headers()["next-router-prefetch"] !== undefined)
        ahead.push(request.url());
    });
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await page.evaluate(() => (document.documentElement.dataset.loadedOnce = "yes"));
    for (const id of ids) {
      await page.keyboard.press("j");
      await expect(inbox.row(id).getByRole("link")).toHaveAttribute("aria-current", "page");
    }
    await expect(page.locator("html[data-loaded-once]"), "the page was not loaded anew").toBeAttached();
    expect(ahead).toEqual([]);
    await own.close();
  },
);

test(
  verifies("inbox:batch", "what was written for a batch outlives its calls, and says which were not sent"),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 3);
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    for (const id of ids) await inbox.row(id).getByRole("checkbox").check();
    const bar = page.getByRole("region", { name: "Selected calls" });
    await bar.getByRole("button", { name: "Reject 3…" }).click();
    await bar.getByLabel("Reason for all of them").fill("Their access ended");
    const other = await open(await person("reviewer"));
    const decideElsewhere = async (id: string) =>
      expect(
        (
          await other.request.post(`/approvals/${id}/decide`, {
            headers: { origin: required("BASE_URL") },
            data: { decision: "reject" },
          })
        ).status(),
      ).toBe(200);
    await decideElsewhere(ids[0]!);
    await expect(
      bar.getByText("One more was selected, and is no longer here as it was; nothing is sent for it."),
    ).toBeVisible();
    await expect(bar.getByLabel("Reason for all of them")).toHaveValue("Their access ended");
    for (const id of ids.slice(1)) await decideElsewhere(id);
    await expect(
      bar.getByText("None of the selected calls waits here any more, so this was not sent. You had written:"),
    ).toBeVisible();
    await expect(bar.getByText("Their access ended", { exact: true })).toBeVisible();
    await expect(bar.getByRole("button", { name: /^Reject/ })).toHaveCount(0);
    await examine(page, "inbox-batch-left", { fullPage: false });
    await bar.getByRole("button", { name: "Close" }).click();
    await expect(bar).toHaveCount(0);
    expect(await deps.db.decision.count({ where: { userId: ana.id } })).toBe(0);
    await own.close();
  },
);
