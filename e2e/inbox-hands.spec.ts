import type { Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";
import { examine } from "./examine";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { callOfQuestion } from "./pending";
import { verifies } from "./requirements";
import { intercept } from "./intercept";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], edit: true } }",
};

async function askOften(deps: EngineDeps, own: OwnProject, by: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const runId = await own.startAndDrive(by);
    ids.push((await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } })).id);
  }
  return ids;
}

/** As another person does, elsewhere. */
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

test(
  verifies(
    "inbox:keys",
    "letters meant for a form that another's decision removed decide nothing, and the text is still there",
  ),
  async ({ open, person, deps }) => {
    const [mira, ana] = [await person("reviewer"), await person("reviewer")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = "", third = ""] = await askOften(deps, own, await person("operator"), 3);
    const elsewhere = await open(ana);
    const inbox = new InboxPage(await open(mira));
    const { keyboard } = inbox.page;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await keyboard.press("r");
    await keyboard.type("Not a duplic");
    await approveElsewhere(elsewhere, first);
    await expect(inbox.card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
    await expect(inbox.card.getByLabel(/^Reason, for /)).toHaveCount(0);
    await keyboard.type("ate, ask Jana, ja?");
    await expect(inbox.page.getByRole("region", { name: "Notifications" })).toContainText(
      "Letters do nothing until you click",
    );
    await expect(inbox.foot.getByText("Not a duplic", { exact: true })).toBeVisible();
    await expect(inbox.foot.getByRole("button", { name: "Copy what you had written" })).toBeVisible();
    await examine(inbox.page, "inbox-unsent", { fullPage: false });

    await keyboard.press("Escape");
    await keyboard.press("j");
    await expect(inbox.page, "the keys work again, and have moved nothing before").toHaveURL(new RegExp(second));
    await expect(inbox.approve).toBeEnabled();
    // Nothing is written yet, but the field has the focus.
    await keyboard.press("n");
    await expect(inbox.card.getByLabel(/^Note for the others/)).toBeFocused();
    await approveElsewhere(elsewhere, second);
    await expect(inbox.card.getByLabel(/^Note for the others/)).toHaveCount(0);
    await keyboard.type("jaja");
    await keyboard.press("Tab");
    await keyboard.press("j");
    await expect(inbox.page).toHaveURL(new RegExp(third));
    expect(await deps.db.decision.count({ where: { userId: mira.id } })).toBe(0);
    await own.close();
  },
);

test(
  verifies(
    "ui:offline",
    "without a network a decision is not sent, the card stays, and it catches up when the network is back",
  ),
  async ({ open, person, deps }) => {
    const [mira, ana] = [await person("reviewer"), await person("reviewer")];
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
    const elsewhere = await open(ana);
    const inbox = new InboxPage(await open(mira));
    const { page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    await page.context().setOffline(true);
    await expect(page.getByText("You are offline", { exact: true })).toBeVisible();
    await expect(inbox.approve).toBeEnabled();
    await page.keyboard.press("a");
    await expect(inbox.card.getByText("Not sent: you are offline")).toBeVisible();
    await page.keyboard.press("j");
    await inbox.row(second).getByRole("link").click();
    await expect(page.getByRole("region", { name: "Notifications" })).toContainText(
      "this page stays until there is a network again",
    );
    await examine(page, "inbox-offline", { fullPage: false });
    await approveElsewhere(elsewhere, first);
    await expect(inbox.approve).toBeEnabled();
    await expect(page).toHaveURL(new RegExp(first));
    // The first request after the network is back does not reach the server yet.
    let asked = 0;
    await intercept(page, /\/healthz$/, (route) =>
      asked++ === 0 ? route.abort("internetdisconnected") : route.continue(),
    );
    await page.context().setOffline(false);
    await expect.poll(() => asked).toBeGreaterThan(1);
    await expect(inbox.card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible();
    await expect(page.getByText("You are offline", { exact: true })).toHaveCount(0);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(new RegExp(second));
    expect(await deps.db.decision.count({ where: { userId: mira.id } })).toBe(0);
    await own.close();
  },
);

test(
  verifies("ui:offline", "a decision whose answer was lost leaves the card in place, until the reader checks again"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    const inbox = new InboxPage(await open(await person("reviewer")));
    await inbox.open(first, `?workflow=${own.workflow}`);
    await inbox.untilAlive();
    // From the decision on nothing gets through. Sooner, a page refreshed by others' work would notice it, and not send
    // the decision.
    let isSent = false;
    await intercept(inbox.page, /\/inbox\/apr_/, (route) => {
      isSent ||= route.request().method() === "POST";
      return isSent ? route.abort("internetdisconnected") : route.continue();
    });
    await expect(inbox.approve).toBeEnabled();
    await inbox.page.keyboard.press("a");
    const lost = inbox.card.getByText("Your decision may or may not have been recorded");
    await expect(lost).toBeVisible();
    await inbox.page.unroute(/\/inbox\/apr_/);
    await inbox.card.getByRole("button", { name: "Look again" }).click();
    await expect(lost).toHaveCount(0);
    await expect(inbox.approve).toBeEnabled();
    await own.close();
  },
);

test(
  verifies(
    "ui:offline",
    "a page that cannot be refreshed stays, with its message about a lost decision, and catches up",
  ),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, operator, 1);
    const inbox = new InboxPage(await open(await person("reviewer")));
    const { page } = inbox;
    await inbox.open(first, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    const elsewhere = new InboxPage(await open(await person("reviewer")));
    await elsewhere.open(first, `?workflow=${own.workflow}&sort=age`);
    const decision = Promise.withResolvers<void>();
    let asked = 0;
    // As above: nothing gets through from the decision on, and not sooner.
    let isSent = false;
    await intercept(page, /\/inbox\/apr_/, async (route) => {
      const isDecision = route.request().method() === "POST";
      isSent ||= isDecision;
      if (!isSent) return route.continue();
      if (isDecision) await decision.promise;
      else asked += 1;
      return route.abort("internetdisconnected");
    });
    await expect(inbox.approve).toBeEnabled();
    await page.keyboard.press("a");
    // Changes by others during the decision make the page refresh right after it; another page that shows the change
    // proves that both received it.
    const [second = ""] = await askOften(deps, own, operator, 1);
    await expect(elsewhere.row(second)).toBeVisible();
    decision.resolve();
    const lost = inbox.card.getByText("Your decision may or may not have been recorded");
    await expect(lost).toBeVisible();
    const away = page.getByText("Kimitsu cannot be reached", { exact: true });
    await expect.poll(() => asked).toBeGreaterThan(1);
    await expect(away).toBeVisible();
    await expect(lost).toBeVisible();
    await expect(inbox.approve).toBeEnabled();
    await examine(page, "inbox-away", { fullPage: false });
    await page.unroute(/\/inbox\/apr_/);
    await expect(inbox.row(second)).toBeVisible();
    await expect(away).toHaveCount(0);
    await expect(lost).toBeVisible();
    await inbox.card.getByRole("button", { name: "Look again" }).click();
    await expect(lost).toHaveCount(0);
    await expect(inbox.approve).toBeEnabled();
    await own.close();
  },
);

test(
  verifies("ui:width", "every button of a decision is fully visible at widths between a phone and a desktop"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    const inbox = new InboxPage(await open(await person("reviewer")));
    await inbox.open(first, `?workflow=${own.workflow}`);
    for (const width of [720, 768, 820, 860]) {
      await inbox.page.setViewportSize({ width, height: 900 });
      const foot = await inbox.foot.boundingBox();
      for (const button of [inbox.reject, inbox.edit, inbox.approve]) {
        const box = await button.boundingBox();
        expect(
          (box?.x ?? Infinity) + (box?.width ?? 0),
          `${await button.textContent()} at ${width}`,
        ).toBeLessThanOrEqual((foot?.x ?? 0) + (foot?.width ?? 0));
      }
      await examine(inbox.page, `inbox-${width}`, { fullPage: false });
    }
    await own.close();
  },
);

async function setArguments(
  deps: EngineDeps,
  approvalId: string,
  args: Record<string, string | string[]>,
): Promise<void> {
  const [argumentsCanonical, digest] = [canonicalizeArguments(args), digestArguments(args)];
  await changeQuestions(deps.db, [approvalId], {
    approval: { danger: "high" },
    call: { arguments: args, argumentsCanonical, digest },
  });
}

test(
  verifies(
    "inbox:seen",
    "a long list is one argument, and A jumps to what was not on the screen yet without approving",
  ),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    await setArguments(deps, first, {
      subject: "Hello",
      to: Array.from({ length: 120 }, (_, place) => `person-${place}@customers.example.test`),
      zeta: "end",
    });
    const inbox = new InboxPage(await open(await person("reviewer"), { viewport: { width: 1280, height: 620 } }));
    await inbox.open(first, `?workflow=${own.workflow}`);
    await inbox.untilAlive();
    const list = inbox.card.getByRole("row", { name: /^to/ });
    await expect(list).toContainText("120 items");
    const go = inbox.foot.getByRole("button", { name: /^Go to the next unseen/ });
    await expect(go).toBeVisible();
    await expect(async () => {
      await inbox.page.keyboard.press("a");
      await expect(list.getByRole("button", { name: "Fold" })).toBeVisible({ timeout: 500 });
    }).toPass();
    await examine(inbox.page, "inbox-list", { fullPage: false });
    await expect(async () => {
      if (await go.isVisible()) await inbox.page.keyboard.press("a");
      await expect(inbox.approve).toBeEnabled({ timeout: 500 });
    }).toPass();
    expect(await deps.db.decision.count({ where: { approvalId: first } })).toBe(0);
    await own.close();
  },
);

test(
  verifies("inbox:card", "the result of a call is scrolled into view although the card was scrolled to its end"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    await setArguments(
      deps,
      first,
      Object.fromEntries(
        Array.from({ length: 30 }, (_, place) => [`argument_${place}`, "A line of text that is read."]),
      ),
    );
    const inbox = new InboxPage(await open(reviewer, { viewport: { width: 1280, height: 620 } }));
    await inbox.open(first, `?workflow=${own.workflow}`);
    await inbox.card.getByRole("heading", { name: "Seen before" }).scrollIntoViewIfNeeded();
    await inbox.reject.click();
    await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(inbox.card.getByText(`Rejected by ${reviewer.name}`, { exact: true })).toBeInViewport();
    await own.close();
  },
);

test(
  verifies("inbox:hidden", "a long old value is folded, and of what is no longer sent the first few are shown"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [first = "", second = ""] = await askOften(deps, own, await person("operator"), 2);
    const page = await open(await person("reviewer"));
    await setArguments(deps, first, {
      text: "word ".repeat(400),
      ...Object.fromEntries(Array.from({ length: 8 }, (_, place) => [`gone_${place}`, "x"])),
    });
    await approveElsewhere(page, first);
    // The application knows none of its tools; once it has reported that, it is done with the call.
    await expect.poll(async () => (await callOfQuestion(deps, first)).status).toBe("denied");
    const inbox = new InboxPage(page);
    await inbox.open(second, `?workflow=${own.workflow}`);
    await inbox.card.getByRole("button", { name: "Show all 2,002 characters of the old value" }).click();
    await expect(inbox.card.getByRole("row", { name: /^gone_/ })).toHaveCount(5);
    await examine(inbox.page, "inbox-old-value", { fullPage: false });
    await inbox.card.getByRole("button", { name: "and 3 more that are not sent this time" }).click();
    await expect(inbox.card.getByRole("row", { name: /^gone_/ })).toHaveCount(8);
    await own.close();
  },
);

test(
  verifies("tools:drift", "the card of a tool whose definition changed says so first, and links to what differs"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [first = ""] = await askOften(deps, own, await person("operator"), 1);
    const { server } = await deps.db.approval.findUniqueOrThrow({ where: { id: first } });
    await changeQuestions(deps.db, [first], {
      call: {
        trace: [{ layer: "pin", outcome: "ask", reason: "the definition of 'echo' has changed since it was locked" }],
      },
    });
    const inbox = new InboxPage(await open(await person("reviewer")));
    await inbox.open(first, `?workflow=${own.workflow}`);
    await expect(inbox.card.getByText("This tool is not as it was trusted")).toBeVisible();
    await expect(inbox.card.getByRole("link", { name: "See what differs" })).toHaveAttribute(
      "href",
      `/tools/${server}/echo`,
    );
    await examine(inbox.page, "inbox-drift", { fullPage: false });
    await own.close();
  },
);
