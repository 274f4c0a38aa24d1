import { readFileSync } from "node:fs";
import path from "node:path";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { examine } from "./examine";
import { expect, required, test } from "./fixtures";
import { openOwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { joinPrivacy, startAndWait } from "./pending";
import { verifies } from "./requirements";
import { holdPosts, intercept } from "./intercept";

const TICKET = "T-315";
type OnReject = ApprovalRule["onReject"];

const ENDS: { onReject: OnReject; words: RegExp; run: "failed" | "complete"; degraded: boolean }[] = [
  { onReject: "fail", words: /ends step act, and with it the run/, run: "failed", degraded: false },
  { onReject: "recover", words: /it goes on and may try another way/, run: "complete", degraded: false },
  { onReject: "retry", words: /asks it for another call; 2 tries are left/, run: "complete", degraded: false },
  { onReject: "skip", words: /takes the tool away from the agent/, run: "complete", degraded: false },
  { onReject: "degrade", words: /one last turn without tools/, run: "complete", degraded: true },
];

/** As if the agent's file said so: the rule is kept with the question. */
async function setOnReject(deps: EngineDeps, approvalId: string, onReject: OnReject): Promise<void> {
  await changeQuestions(deps.db, [approvalId], { approval: { onReject } });
}

for (const { onReject, words, run, degraded } of ENDS) {
  test(
    verifies("inbox:on-reject", `${onReject}: the card says what a rejection will do, and that is what happens`),
    async ({ open, person, deps }) => {
      const reviewer = await person("reviewer");
      await joinPrivacy(deps, [reviewer]);
      const { approvalId, runId } = await startAndWait(deps, TICKET);
      await setOnReject(deps, approvalId, onReject);
      const inbox = new InboxPage(await open(reviewer));
      await inbox.open(approvalId);
      await expect(inbox.foot.getByText(words).first()).toBeVisible();
      await inbox.reject.click();
      await inbox.card.getByLabel(/^Reason, for /).fill("Not asked for");
      await expect(
        inbox.card.getByText(
          onReject === "fail"
            ? "The agent is told nothing: rejecting ends step act, and with it the run."
            : `"on_reject":"${onReject}"`,
        ),
      ).toBeVisible();
      await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
      await expect(inbox.card.getByText(`Rejected by ${reviewer.name}`, { exact: true })).toBeVisible();
      await expect.poll(async () => (await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).status).toBe(run);
      const act = await deps.db.step.findFirstOrThrow({ where: { runId, key: "act" } });
      expect(act.degraded).toBe(degraded);
      expect(await deps.db.call.findFirstOrThrow({ where: { runId, tool: "delete-customer" } })).toMatchObject({
        status: "rejected",
        executingAt: null,
      });
    },
  );
}

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

test(
  verifies(
    "inbox:consequences",
    "on a phone the end of the card says what each button does, why one is disabled, and what happens when nobody decides",
  ),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer, await person("reviewer")]);
    const { approvalId } = await startAndWait(deps, TICKET);
    const inbox = new InboxPage(await open(reviewer, PHONE));
    await inbox.open(approvalId);
    const words = inbox.card.getByRole("region", { name: "What each button does" });
    await words.scrollIntoViewIfNeeded();
    for (const said of [
      "counts as 1 of 2; it is sent when one more person agrees. You type a value first.",
      "takes the tool away from the agent",
      "is closed: the rule does not let reviewers change the arguments.",
      "lets it sink in your queue.",
      "If nobody decides in time, that counts as a rejection",
    ]) {
      await expect(words.getByText(said)).toBeVisible();
    }
    await inbox.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const [last, foot] = [await words.boundingBox(), await inbox.foot.boundingBox()];
    expect((last?.y ?? 0) + (last?.height ?? 0), "nothing of it lies under the buttons").toBeLessThanOrEqual(
      foot?.y ?? 0,
    );
    await expect(inbox.edit).toHaveAccessibleDescription(/is closed: the rule does not let reviewers/);
    await examine(inbox.page, "inbox-consequences-phone", { fullPage: false });
  },
);

test(
  verifies("inbox:seen", "on a phone an argument that is covered by the buttons does not count as seen"),
  async ({ open, person, deps }) => {
    const { approvalId } = await startAndWait(deps, "T-312");
    const lines = Array.from({ length: 60 }, (_, line) => `Line ${line} of the reason`)
      .join("\n")
      .slice(0, 590);
    await changeQuestions(deps.db, [approvalId], {
      approval: { danger: "high" },
      call: { arguments: { order_id: "A-1042", amount: 196.5, currency: "EUR", reason: `${lines}.` } },
    });
    const inbox = new InboxPage(await open(await person("reviewer"), PHONE));
    await inbox.open(approvalId);
    await expect(inbox.card.getByText(/Approve opens when all arguments were on the screen/)).toBeVisible();
    const frame = () =>
      inbox.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    for (const name of [/^order_id/, /^amount/, /^currency/]) {
      await inbox.card.getByRole("row", { name }).evaluate((row) => row.scrollIntoView({ block: "center" }));
      await frame();
    }
    // The very end of the last argument is under the buttons, and within the window.
    const toBottom = (distance: number) =>
      inbox.card
        .getByRole("row", { name: /^reason/ })
        .locator("code")
        .last()
        .evaluate((value, away) => scrollBy(0, value.getBoundingClientRect().bottom - innerHeight + away), distance);
    await toBottom(20);
    await frame();
    await expect(inbox.card.getByText(/1 is left/)).toBeVisible();
    await expect(inbox.approve).toBeDisabled();
    const foot = await inbox.foot.boundingBox();
    await toBottom((foot?.height ?? 0) + 20);
    await expect(inbox.approve).toBeEnabled();
  },
);

test(
  verifies(
    "inbox:consequences",
    "a call that the current rules refuse cannot be approved as it is, and the card says why; a changed one is judged again",
  ),
  async ({ open, person, deps }) => {
    // The application's own clerk has no such server.
    const own = await openOwnProject(deps, {
      agentName: "clerk",
      script: "agents: { clerk: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
      allowlist: "- { name: echo, require_approval: { approvers: [reviewer], edit: true } }",
    });
    const runId = await own.startAndDrive(await person("operator"));
    const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } });
    for (const options of [{}, PHONE]) {
      const inbox = new InboxPage(await open(await person("reviewer"), options));
      await inbox.open(id);
      await expect(
        inbox.card.getByRole("alert").filter({ hasText: "The project's rules refuse this call now" }),
      ).toContainText("It can be changed to what they allow");
      await expect(inbox.approve).toBeDisabled();
      await expect(inbox.approve).toHaveAccessibleDescription(/is closed: the project's rules refuse this call now/);
      await expect(
        inbox.foot.getByText(/closed: the project.s rules refuse this call now/).filter({ visible: true }),
      ).toBeVisible();
      await expect(inbox.card.getByText("sends it now, once.")).toHaveCount(0);
      await inbox.readArguments();
      await expect(inbox.edit).toBeEnabled();
      await expect(inbox.reject).toBeEnabled();
    }
    await own.close();
  },
);

test(
  verifies(
    "inbox:ended",
    "a run that ends under an open card removes the buttons, and a click in progress says why it was not recorded",
  ),
  async ({ open, person, deps }) => {
    const [reviewer, operator] = [await person("reviewer"), await person("operator")];
    await joinPrivacy(deps, [reviewer]);
    const { approvalId, runId } = await startAndWait(deps, TICKET);
    const inbox = new InboxPage(await open(reviewer));
    await inbox.open(approvalId);
    const release = await holdPosts(inbox.page, /inbox\/apr_/);
    await inbox.reject.click();
    await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
    const other = await open(operator);
    await other.goto("/history");
    expect(
      (
        await other.request.post(`/runs/${runId}/cancel`, { headers: { origin: required("BASE_URL") }, data: {} })
      ).status(),
    ).toBe(200);
    release();
    const late = inbox.foot.getByRole("alert");
    await expect(late).toContainText("Not recorded: the run has ended");
    await expect(late).toContainText("It was withdrawn just now.");
    await expect(late, "in the words of the page, with no id and no time of another zone").not.toContainText(
      /apr_|UTC|\d{4}-\d\d-\d\d/,
    );
    await expect(inbox.card.getByText(/^Withdrawn just now$/)).toBeVisible();
    await expect(inbox.card.getByText(`${operator.name} cancelled its run before anyone decided.`)).toBeVisible();
    await expect(inbox.approve).toHaveCount(0);
  },
);

test(
  verifies("inbox:race", "a person who decided in another tab sees that, and not that someone was faster"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer, await person("reviewer")]);
    const { approvalId } = await startAndWait(deps, TICKET);
    const [here, there] = [new InboxPage(await open(reviewer)), new InboxPage(await open(reviewer))];
    for (const tab of [here, there]) {
      await tab.open(approvalId);
      await tab.approve.click();
      await tab.card.getByLabel("Type C-201 to approve").fill("C-201");
    }
    const release = await holdPosts(there.page, /inbox\/apr_/);
    await there.approve.click();
    await here.approve.click();
    await expect(here.card.getByText("You approved it; it waits for one more person")).toBeVisible();
    release();
    await expect(there.card.getByText("Not recorded again: you have decided this already")).toBeVisible();
    expect(await deps.db.decision.count({ where: { approvalId } })).toBe(1);
  },
);

test(
  verifies(
    "inbox:changed",
    "arguments that changed since they were read are not decided, and a lost answer is not shown as a refusal",
  ),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer]);
    const { approvalId } = await startAndWait(deps, TICKET);
    const { summary } = await deps.db.approval.findUniqueOrThrow({ where: { id: approvalId } });
    const inbox = new InboxPage(await open(reviewer));
    // A page with a live connection would show the change before the click.
    await inbox.page.route(/\/live\/inbox\?after=/, () => undefined);
    await inbox.open(approvalId);
    await changeQuestions(deps.db, [approvalId], { approval: { summary: "Delete another customer" } });
    await inbox.reject.click();
    await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(inbox.card.getByText("Not recorded: the arguments have changed")).toBeVisible();
    await changeQuestions(deps.db, [approvalId], { approval: { summary } });
    await inbox.open(approvalId);
    await intercept(inbox.page, /inbox\/apr_/, (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 404, body: "lost" }) : route.continue(),
    );
    await inbox.reject.click();
    await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
    await expect(inbox.card.getByText("Your decision may or may not have been recorded")).toBeVisible();
    await inbox.card.getByRole("button", { name: "Look again" }).click();
    await expect(inbox.card.getByText("Your decision may or may not have been recorded")).toHaveCount(0);
    expect(await deps.db.decision.count({ where: { approvalId } })).toBe(0);
  },
);

test(
  verifies("inbox:reload", "a reload in the middle decides nothing and forgets nothing that was decided"),
  async ({ open, person, deps }) => {
    const reviewer = await person("reviewer");
    await joinPrivacy(deps, [reviewer, await person("reviewer")]);
    const { approvalId } = await startAndWait(deps, TICKET);
    const inbox = new InboxPage(await open(reviewer));
    await inbox.open(approvalId);
    await inbox.reject.click();
    await inbox.card.getByLabel("Reason, for the agent and for the record").fill("Half a tho");
    await inbox.page.reload();
    await expect(inbox.approve).toBeEnabled();
    expect(await deps.db.decision.count({ where: { approvalId } })).toBe(0);
    // The decision is in progress when the page is left.
    await inbox.approve.click();
    await inbox.card.getByLabel("Type C-201 to approve").fill("C-201");
    const sent = inbox.page.waitForRequest(
      (request) => request.method() === "POST" && request.url().includes(approvalId),
    );
    await inbox.approve.click();
    await sent;
    await inbox.page.reload();
    await expect.poll(() => deps.db.decision.count({ where: { approvalId } })).toBeLessThanOrEqual(1);
    await expect(async () => {
      const decided = await deps.db.decision.count({ where: { approvalId } });
      await inbox.page.reload();
      if (decided === 1)
        await expect(inbox.card.getByText("You approved it; it waits for one more person")).toBeVisible({
          timeout: 2_000,
        });
      else await expect(inbox.approve).toBeEnabled({ timeout: 2_000 });
    }).toPass();
  },
);

/** The demo's own key, which the shop is called with. */
const SECRET = "demo-shop-key";

/** Writes to the shop what no test of ours could make its agents write. */
async function plantInShop(): Promise<void> {
  const file = readFileSync(path.join(required("KIMITSU_PROJECT"), "servers/shop.server.yaml"), "utf8");
  const url = /^url: "?([^"\s]+)/m.exec(file)?.[1] ?? "";
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "planter", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-api-key": SECRET } } }),
  );
  const answer = await client.callTool({
    name: "draft-reply",
    arguments: { ticket_id: "T-314", text: `The key is ${SECRET}, keep it` },
  });
  expect(answer.isError ?? false).toBe(false);
  await client.close();
}

test(
  verifies(
    "inbox:secret",
    "a secret that was planted in arguments, results and errors is in no page, no answer of the server and no storage of the browser",
  ),
  async ({ open, person, deps }) => {
    await plantInShop();
    const operator = await person("operator");
    const page = await open(operator);
    const leaks: string[] = [];
    const answers: Promise<void>[] = [];
    // An answer that the page gave up, as when it is left, never has a text.
    page.on("requestfinished", (request) => {
      const read = async () => {
        const response = await request.response();
        if (response?.headers()["content-type"]?.includes("event-stream")) return;
        if ((await response?.text())?.includes(SECRET)) leaks.push(request.url());
      };
      answers.push(read().catch(() => undefined));
    });
    // In a result: the ticket's draft holds it, and the agent reads the ticket.
    await page.goto("/workflows/support");
    await page.getByLabel("Ticket").fill("T-314");
    await page.getByRole("button", { name: "Start a run" }).click();
    await expect(page).toHaveURL(/\/history\/run_/);
    const runId = /run_[0-9a-z]{26}/.exec(page.url())?.[0] ?? "";
    await expect
      .poll(async () => (await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).status)
      .toBe("complete");
    const read = await deps.db.call.findFirstOrThrow({ where: { runId, tool: "tickets-search" } });
    expect(JSON.stringify(read.result)).toContain("keep it");
    const steps = await deps.db.step.findMany({ where: { runId } });
    const views = ["", "/approvals", "/events", ...steps.map(({ id }) => `/steps/${id}`)];
    for (const view of views) {
      await page.goto(`/history/${runId}${view}`);
      expect(await page.content(), view).not.toContain(SECRET);
    }
    // In arguments, and in the error that refuses them: a reviewer writes it into a call.
    const { approvalId } = await startAndWait(deps, "T-312");
    const inbox = new InboxPage(page);
    await inbox.open(approvalId);
    await inbox.edit.click();
    await inbox.card.getByRole("textbox", { name: /^reason/ }).fill(`because ${SECRET}`);
    await inbox.card.getByRole("button", { name: "Review changes" }).click();
    await expect(inbox.card.getByText(/holds the value of the secret SHOP_KEY/).first()).toBeVisible();
    await inbox.open(approvalId);
    expect(await page.content()).not.toContain(SECRET);
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(stored).not.toContain(SECRET);
    await Promise.all(answers);
    expect(leaks).toEqual([]);
    expect(answers.length).toBeGreaterThan(10);
  },
);
