import type { Page, Request } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { ConsolePage } from "./pages/console-page";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

/** A workflow whose only call waits for a reviewer: a queue that this test alone fills. */
const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
};
const LINE = "/live/inbox";

async function ask(deps: EngineDeps, own: OwnProject, by: Person): Promise<string> {
  const runId = await own.startAndDrive(by);
  return (await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } })).id;
}

async function decideElsewhere(page: Page, approvalId: string): Promise<void> {
  const answer = await page.request.post(`/approvals/${approvalId}/decide`, {
    headers: { origin: required("BASE_URL") },
    data: { decision: "reject" },
  });
  expect(answer.status()).toBe(200);
}

/** As the browser does when another tab is selected, and when this one is again. */
async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}

/** Live connections that the page has open now. */
function countLines(page: Page): () => number {
  const open = new Set<Request>();
  page.on("request", (request) => void (new URL(request.url()).pathname === LINE && open.add(request)));
  page.on("requestfinished", (request) => void open.delete(request));
  page.on("requestfailed", (request) => void open.delete(request));
  return () => open.size;
}

test(
  verifies(
    "inbox:hidden-tab",
    "a hidden inbox closes its live connection, and shows at once what happened meanwhile when it is visible again",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first, second] = [await ask(deps, own, operator), await ask(deps, own, operator)];
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const lines = countLines(inbox.page);
    await inbox.page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await expect.poll(lines).toBe(1);
    await setVisibility(inbox.page, "hidden");
    await expect.poll(lines).toBe(0);
    const other = await open(ben);
    await decideElsewhere(other, first);
    const third = await ask(deps, own, operator);
    await expect(inbox.row(first), "nobody looks, so nothing is asked for").toBeVisible();
    await expect(inbox.row(third)).toHaveCount(0);
    expect(lines()).toBe(0);

    await setVisibility(inbox.page, "visible");
    await expect(inbox.row(first)).toHaveCount(0);
    await expect(inbox.row(second)).toBeVisible();
    await expect(inbox.row(third)).toBeVisible();
    await decideElsewhere(other, second);
    await expect(inbox.row(second), "and it hears again").toHaveCount(0);
    await own.close();
  },
);

test(
  verifies(
    "inbox:without-line",
    "an inbox whose live connection is refused says so, still shows changes, and stops saying so when the connection is back",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("reviewer"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const [first, second] = [await ask(deps, own, operator), await ask(deps, own, operator)];
    const page = await open(ana, { viewport: { width: 1440, height: 900 } });
    const inbox = new InboxPage(page);
    const isLine = ({ pathname }: URL) => pathname === LINE;
    await page.route(isLine, (route) => route.fulfill({ status: 429 }));
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    const says = page.getByText("Live updates are interrupted");
    await expect(says).toBeVisible();
    await expect(inbox.row(first)).toBeVisible();
    const other = await open(ben);
    await decideElsewhere(other, first);
    await expect(inbox.row(first)).toHaveCount(0);
    await expect(inbox.row(second)).toBeVisible();
    await expect(says).toBeVisible();

    await page.unroute(isLine);
    await expect(says).toHaveCount(0);
    await decideElsewhere(other, second);
    await expect(inbox.row(second)).toHaveCount(0);
    await own.close();
  },
);

const waitingNow = (deps: EngineDeps) => deps.db.approval.count({ where: { status: "pending" } });
const shownOn = (page: Page) =>
  new ConsolePage(page).nav.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Inbox" }) });

test(
  verifies(
    "inbox:count",
    "on other pages the number and the title follow calls in every window, over one live connection, and none while hidden",
  ),
  async ({ open, person, deps }) => {
    const [ana, ben, operator] = [await person("operator"), await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const page = await open(ana, { viewport: { width: 1440, height: 900 } });
    const lines = countLines(page);
    await page.goto("/tools");
    await expect.poll(lines).toBe(1);
    const window = await page.context().newPage();
    const otherLines = countLines(window);
    await window.goto("/audit");
    // Other tests ask and decide too, so the number is compared with what the database holds in the same moment.
    const followsOn = (where: Page, title: string) =>
      expect(async () => {
        const count = await waitingNow(deps);
        expect(await shownOn(where).innerText()).toMatch(new RegExp(`\\b${count}\\b`));
        expect(await where.title()).toBe(`(${count}) ${title} · Kimitsu`);
      }).toPass({ intervals: [100] });
    const call = await ask(deps, own, operator);
    await ask(deps, own, operator);
    await followsOn(page, "Tools");
    await followsOn(window, "Audit");
    await decideElsewhere(await open(ben), call);
    await followsOn(page, "Tools");
    await followsOn(window, "Audit");
    await expect.poll(() => lines() + otherLines(), "one window listens for both").toBe(1);

    await page.getByRole("link", { name: "Workflows", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Workflows" })).toBeVisible();
    await followsOn(page, "Workflows");
    await setVisibility(page, "hidden");
    await expect.poll(otherLines, "the next window that is looked at takes over").toBe(1);
    await expect.poll(lines).toBe(0);
    await setVisibility(window, "hidden");
    await expect.poll(otherLines).toBe(0);
    await ask(deps, own, operator);
    await setVisibility(page, "visible");
    await followsOn(page, "Workflows");
    await own.close();
  },
);
