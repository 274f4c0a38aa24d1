/**
 * Makes the pictures of README and docs anew: PICTURES=1 npm test -- e2e e2e/pictures.spec.ts --no-deps
 * People, runs and figures are made up; what is on the pictures is the application as it is.
 */
import type { Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { buildUser } from "@/lib/testing/builders";
import { addCalls, buildSession } from "@/lib/testing/client-sessions";
import { buildPastRun, type PastCall } from "@/lib/testing/past";
import { expect, type Person, test } from "./fixtures";
import { InboxPage } from "./pages/inbox-page";
import { RunPage } from "./pages/run-page";
import { joinPrivacy, startAndWait } from "./pending";

const FOLDER = "docs/pictures";
const SIZE = { width: 1280, height: 800 };
const LOOKS = ["light", "dark"] as const;
const DAYS = 30;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

test("the inbox, a run, a session of a coding agent and a month of figures, in light and dark", async ({
  open,
  deps,
}) => {
  const [mira, jonas, ana] = [
    await buildUser(deps, "reviewer", { name: "Mira Okafor" }),
    await buildUser(deps, "reviewer", { name: "Jonas Weber" }),
    await buildUser(deps, "operator", { name: "Ana Kovač" }),
  ];
  await joinPrivacy(deps, [mira, jonas, ana]);
  await buildMonth(deps, [mira, jonas]);
  const [, other, settled, shown] = [
    await startAndWait(deps, "T-315"),
    await startAndWait(deps, "T-312"),
    await startAndWait(deps, "T-310"),
    await startAndWait(deps, "T-310"),
  ];
  await approve(await open(mira), other.approvalId);
  await reject(await open(jonas), settled.approvalId);
  const session = await buildClient(deps, ana, mira);

  for (const look of LOOKS) {
    const page = await open(ana, { viewport: SIZE, colorScheme: look, timezoneId: "Europe/Berlin" });
    const inbox = new InboxPage(page);
    await inbox.open(shown.approvalId);
    await expect(inbox.approve).toBeEnabled();
    await take(page, `inbox-${look}`);
    const run = new RunPage(page);
    await run.open(other.runId);
    await take(page, `run-${look}`);
    await page.goto(`/clients/${session.id}`);
    await expect(page.getByText("waiting for approval").first()).toBeVisible();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await take(page, `clients-${look}`);
    await page.goto("/insights?days=30");
    await expect(page.getByRole("heading", { name: "Time to decide" })).toBeVisible();
    await take(page, `insights-${look}`);
  }
  const phone = await open(ana, {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    colorScheme: "dark",
  });
  await new InboxPage(phone).open(shown.approvalId);
  await take(phone, "inbox-phone");
});

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: "disabled" });
}

async function approve(page: Page, approvalId: string): Promise<void> {
  const inbox = new InboxPage(page);
  await inbox.open(approvalId);
  await inbox.approve.click();
  await expect(inbox.card.getByText(/, and done$|but the call failed$/)).toBeVisible();
}

async function reject(page: Page, approvalId: string): Promise<void> {
  const inbox = new InboxPage(page);
  await inbox.open(approvalId);
  await inbox.reject.click();
  await inbox.card.getByRole("button", { name: "Not owed" }).click();
  await inbox.card.getByRole("button", { name: "Reject", exact: true }).click();
  await expect(inbox.card.getByText(/^Rejected by/).first()).toBeVisible();
}

/** A coding agent that has read an order, got a refund approved, and waits for a person to close the ticket. */
async function buildClient(deps: EngineDeps, owner: Person, reviewer: Person) {
  const at = (minutes: number) => new Date(deps.now().getTime() - minutes * MINUTE_MS);
  const session = await buildSession(deps, owner, {
    clientName: "Claude Code",
    clientVersion: "2.1.319",
    protocolVersion: "2026-07-28",
    tokenName: "Ana's laptop",
    at: at(9),
  });
  const order = { order_id: "A-1042" };
  await addCalls(deps, session, [
    { tool: "orders-read", summary: "Read order A-1042", arguments: order, output: "2 bags, 36.00 EUR", at: at(9) },
    {
      tool: "issue-refund",
      summary: "Refund 18.00 EUR to order A-1042",
      arguments: { ...order, amount: 18, currency: "EUR" },
      outcome: "approved",
      danger: "medium",
      by: reviewer,
      output: "Refund R-9 of 18.00 EUR",
      at: at(6),
    },
    {
      tool: "close-ticket",
      summary: "Close ticket T-310",
      arguments: { ticket_id: "T-310", note: "One bag was broken; refunded half" },
      outcome: "waiting",
      danger: "medium",
      at: at(1),
    },
  ]);
  return session;
}

/** More on weekdays, slower on weekends, and sometimes a rejection. The same each time except for the date. */
async function buildMonth(deps: EngineDeps, reviewers: readonly Person[]): Promise<void> {
  const tools = [
    { server: "shop", tool: "issue-refund", danger: "medium", line: 34 },
    { server: "shop", tool: "delete-customer", danger: "critical", line: 46 },
    { server: "mail", tool: "send", danger: "high", line: 21 },
  ] as const;
  for (let day = DAYS - 1; day >= 1; day--) {
    const at = new Date(deps.now().getTime() - day * DAY_MS);
    const isWeekend = at.getUTCDay() % 6 === 0;
    const calls = Array.from({ length: isWeekend ? 3 : 9 + ((day * 7) % 8) }, (_, n): PastCall => {
      const chance = (day * 31 + n * 17) % 100;
      const { line, ...tool } = tools[chance < 60 ? 0 : chance < 70 ? 1 : 2];
      const outcome = chance % 13 === 0 ? "rejected" : chance % 37 === 5 ? "expired" : "approved";
      const tookMs = (isWeekend ? 40 : 4) * MINUTE_MS * (0.2 + ((chance * chance) % 90) / 20);
      return {
        ...tool,
        line,
        askedAt: new Date(at.getTime() + n * 20 * MINUTE_MS),
        tookMs,
        outcome,
        by: outcome === "expired" ? [] : [reviewers[n % reviewers.length]?.id ?? ""],
      };
    });
    const turns = calls.map((_, n) => ({
      model: n % 3 === 0 ? "anthropic/large" : "anthropic/small",
      tokensIn: 2100 + n * 130,
      tokensOut: 180 + n * 9,
      costUsd: n % 3 === 0 ? 0.021 : 0.004,
    }));
    await buildPastRun(deps.db, { workflow: day % 3 === 0 ? "refund-desk" : "support", at, turns, calls });
  }
}
