import type { EngineDeps } from "@/lib/engine/deps";
import { examine } from "./examine";
import { expect, type Person, required, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

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

test(verifies("inbox:aim", "a call that another person decides keeps its place under the pointer, a new one is announced, and both show when the pointer leaves"), async ({ open, person, deps }) => {
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
  expect((await other.request.post(`/approvals/${first}/decide`, { headers: { origin: required("BASE_URL") }, data: { decision: "reject" } })).status()).toBe(200);
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
});

test(verifies("inbox:place", "picked calls stay picked, the list stays where it was scrolled to, and two quick presses go two rows down"), async ({ open, person, deps }) => {
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
});
