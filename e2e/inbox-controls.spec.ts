import type { Locator, Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { expect, type Person, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { copyPending } from "./pending";
import { verifies } from "./requirements";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], timeout: 1h, timeout_behavior: reject } }",
};
const WIDE = { viewport: { width: 1440, height: 900 } };
const TABS_MAX = 120;

async function askOften(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(
      (await deps.db.approval.findFirstOrThrow({ where: { runId: await own.startAndDrive(by), status: "pending" } }))
        .id,
    );
  return ids;
}

/** Presses Tab until the focus is there, as someone without a mouse would. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let n = 0; n < TABS_MAX; n++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The focus does not reach ${target} within ${TABS_MAX} tabs.`);
}

test(
  verifies(
    "inbox:keys",
    "two are picked and rejected together, one is approved, one with a comment, one with changed arguments, all without a mouse",
  ),
  async ({ open, person, deps }) => {
    test.slow();
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 5);
    const at = (place: number) => ids[place] ?? "";
    const inbox = new InboxPage(await open(ana, WIDE));
    const { page, card } = inbox;
    const press = (key: string) => page.keyboard.press(key);
    const goTo = async (place: number) => {
      await press("j");
      await expect(inbox.row(at(place)).getByRole("link"), `the card of call ${place}`).toHaveAttribute(
        "aria-current",
        "page",
      );
      await expect(inbox.approve).toBeEnabled();
    };
    const decisionsOf = (place: number) =>
      deps.db.decision.findMany({
        where: { approvalId: at(place) },
        select: { verdict: true, reason: true, comment: true, argumentsCanonical: true },
      });
    const isApproved = () => expect(card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
    const plain = { verdict: "approved", reason: null, comment: null, argumentsCanonical: null };
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();

    await goTo(0);
    await press("x");
    await goTo(1);
    await press("x");
    await expect(page.getByText("2 selected")).toBeVisible();
    await tabTo(page, page.getByRole("button", { name: "Reject 2…" }));
    await press("Enter");
    await expect(page.getByLabel("Reason for all of them")).toBeFocused();
    await page.keyboard.type("Asked twice");
    await press("Enter");
    await expect(page.getByText("Done: 2 of 2 recorded")).toBeVisible();
    for (const place of [0, 1])
      expect(await decisionsOf(place)).toEqual([{ ...plain, verdict: "rejected", reason: "Asked twice" }]);
    await press("Escape");
    await expect(page.getByText("Done: 2 of 2 recorded")).toHaveCount(0);

    await expect(inbox.row(at(1))).toHaveCount(0);
    await goTo(2);
    await press("a");
    await isApproved();
    expect(await decisionsOf(2)).toEqual([plain]);

    await expect(inbox.row(at(2))).toHaveCount(0);
    await goTo(3);
    await press("c");
    await expect(card.getByLabel(/^Comment with the approval/)).toBeFocused();
    await page.keyboard.type("Ana a");
    await tabTo(page, inbox.approve);
    await press("Enter");
    await isApproved();
    expect(await decisionsOf(3), "letters that someone writes are no keys").toEqual([{ ...plain, comment: "Ana a" }]);

    await expect(inbox.row(at(3))).toHaveCount(0);
    await goTo(4);
    await press("e");
    await expect(card.getByRole("textbox", { name: /^text/ })).toBeFocused();
    await press("ControlOrMeta+a");
    await page.keyboard.type("goodbye");
    await press("Enter");
    await expect(card.getByRole("row", { name: 'text "hello" "goodbye"' })).toBeVisible();
    await expect(card.getByRole("button", { name: "Approve with changes" })).toBeFocused();
    await expect(card.getByRole("button", { name: "Approve with changes" })).toBeEnabled();
    await press("Enter");
    await isApproved();
    expect(await decisionsOf(4)).toEqual([{ ...plain, argumentsCanonical: '{"text":"goodbye"}' }]);
    await own.close();
  },
);

test(
  verifies(
    "inbox:filters",
    "each chip, each choice and each order shows exactly the calls that it says, and the address keeps them",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const ids = await askOften(deps, own, operator, 5);
    const [oldest = "", critical = "", high = "", admins = "", soonest = ""] = ids;
    const agent = `agent-of-${own.workflow}`;
    const change = (id: string, approval: NonNullable<Parameters<typeof changeQuestions>[2]>["approval"] & object) =>
      changeQuestions(deps.db, [id], { approval });
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    for (const [index, id] of ids.entries()) await change(id, { danger: "medium", expiresAt: inHours(10 + index) });
    await change(critical, { danger: "critical", agent });
    await change(high, { danger: "high" });
    await change(admins, { approvers: ["admin"] });
    await change(soonest, { agent, expiresAt: inHours(2) });

    const inbox = new InboxPage(await open(ana, WIDE));
    const { page } = inbox;
    const shows = (expected: string[]) =>
      expect
        .poll(() =>
          inbox.queue.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row"))),
        )
        .toEqual(expected);
    const chip = (name: string | RegExp) =>
      page.getByRole("navigation", { name: "Filter" }).getByRole("link", { name });
    await page.goto("/inbox");
    await page.getByLabel("Workflow", { exact: true }).selectOption({ label: own.workflow });
    await expect(page).toHaveURL(new RegExp(`workflow=${own.workflow}`));
    await shows([soonest, oldest, critical, high, admins]);
    for (const [order, expected] of [
      ["By age", ids],
      ["By danger", [critical, high, oldest, admins, soonest]],
    ] as const) {
      await page.getByLabel("Order", { exact: true }).selectOption({ label: order });
      await shows([...expected]);
    }
    for (const [name, expected] of [
      [/^Critical/, [critical]],
      [/^High/, [high]],
      [/^Medium/, [oldest, admins, soonest]],
    ] as const) {
      await chip(name).click();
      await shows([...expected]);
      await expect(chip(name)).toHaveAttribute("aria-current", "true");
      await chip(name).click();
      await shows([critical, high, oldest, admins, soonest]);
    }
    await chip(/^Mine/).click();
    await shows([critical, high, oldest, soonest]);
    await page.getByLabel("Agent", { exact: true }).selectOption({ label: agent });
    await shows([critical, soonest]);
    await page.reload();
    await shows([critical, soonest]);
    await expect(page.getByLabel("Agent", { exact: true })).toHaveValue(/mine=1/);
    await inbox.row(soonest).getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(`/inbox/${soonest}\\?.*agent=${agent}.*mine=1&sort=danger`));
    await shows([critical, soonest]);
    await chip(/^All/).click();
    await expect(page).toHaveURL("/inbox?sort=danger");
    await own.close();
  },
);

test(
  verifies(
    "inbox:pages",
    "a queue of more than a page continues with the next and back to the first, by links and by keys",
  ),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, operator, 1);
    const copies = await copyPending(deps, first, 54);
    const ids = [first, ...copies.ids];
    const inbox = new InboxPage(await open(ana, WIDE));
    const { page } = inbox;
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    const pager = page.getByRole("navigation", { name: "Pages of the queue" });
    await expect(inbox.queue.locator("[data-row]")).toHaveCount(50);
    await expect(pager.getByRole("link", { name: "First page" })).toHaveCount(0);
    await pager.getByRole("link", { name: "Next page" }).click();
    await expect(inbox.queue.locator("[data-row]")).toHaveCount(5);
    await expect(inbox.row(ids[50] ?? "")).toBeVisible();
    await expect(pager.getByRole("link", { name: "Next page" })).toHaveCount(0);
    await pager.getByRole("link", { name: "First page" }).click();
    await expect(inbox.row(first)).toBeVisible();
    await expect(inbox.queue.locator("[data-row]")).toHaveCount(50);

    const isAt = (place: number) =>
      expect(inbox.row(ids[place] ?? "").getByRole("link"), `call ${place} is open`).toHaveAttribute(
        "aria-current",
        "page",
      );
    await inbox
      .row(ids[49] ?? "")
      .getByRole("link")
      .click();
    await isAt(49);
    await page.keyboard.press("j");
    await isAt(50);
    await expect(inbox.row(first)).toHaveCount(0);
    await page.keyboard.press("k");
    await isAt(49);
    await page.keyboard.press("k");
    await isAt(48);
    await page.close();
    await copies.remove();
    await own.close();
  },
);

test(
  verifies("inbox:extend", "more time shows on the card and in the queue at once, and what is copied is what is shown"),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [id = ""] = await askOften(deps, own, operator, 1);
    const inbox = new InboxPage(await open(ana, { ...WIDE, permissions: ["clipboard-read", "clipboard-write"] }));
    const { page, card } = inbox;
    await inbox.open(id, `?workflow=${own.workflow}`);
    const end = card.locator("time").filter({ hasText: "Expires in" });
    const before = Date.parse((await end.getAttribute("datetime")) ?? "");
    await card.getByRole("button", { name: /^Extend/ }).click();
    const after = new Date(before + 30 * 60_000).toISOString();
    await expect(end).toHaveAttribute("datetime", after);
    await expect(inbox.row(id).locator("time").first()).toHaveAttribute("datetime", after);
    expect((await deps.db.approval.findUniqueOrThrow({ where: { id } })).expiresAt?.toISOString()).toBe(after);

    await card.getByRole("button", { name: "Copy arguments, redacted" }).click();
    await expect(card.getByRole("button", { name: "Copied" })).toBeVisible();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({ text: "hello" });
    await own.close();
  },
);
