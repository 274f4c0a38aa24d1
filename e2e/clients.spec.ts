import type { EngineDeps } from "@/lib/database/deps";
import { addCalls, buildSession } from "@/lib/testing/client-sessions";
import { examine, LOOKS } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { InboxPage } from "./pages/inbox-page";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";

const MINUTE_MS = 60_000;

/** A coding agent that has read, was refused, was allowed, and waits. */
async function seedSession(deps: EngineDeps, owner: Person, reviewer: Person, lastSeenAt = deps.now()) {
  const at = (minutes: number) => new Date(lastSeenAt.getTime() - minutes * MINUTE_MS);
  const session = await buildSession(deps, owner, {
    clientName: "Claude Code",
    clientVersion: "2.1.319",
    protocolVersion: "2026-07-28",
    tokenName: `laptop of ${owner.name}`,
    at: at(20),
    lastSeenAt,
    spentUsd: 0.042,
  });
  const runs = await addCalls(deps, session, [
    {
      tool: "orders-read",
      summary: "Read order A-1042",
      arguments: { order_id: "A-1042" },
      output: "2 bags of Kirinyaga, 36.00 EUR, delivered",
      at: at(19),
    },
    {
      tool: "delete-customer",
      summary: "Delete customer C-77",
      arguments: { customer_id: "C-77" },
      outcome: "denied",
      danger: "critical",
      at: at(16),
    },
    {
      tool: "issue-refund",
      summary: "Refund 36.00 EUR to order A-1042",
      arguments: { order_id: "A-1042", amount: 36, currency: "EUR" },
      outcome: "rejected",
      danger: "medium",
      by: reviewer,
      said: "Half of it was delivered",
      at: at(12),
    },
    {
      tool: "issue-refund",
      summary: "Refund 18.00 EUR to order A-1042",
      arguments: { order_id: "A-1042", amount: 18, currency: "EUR" },
      outcome: "approved",
      danger: "medium",
      by: reviewer,
      output: "Refund R-9 of 18.00 EUR",
      at: at(8),
    },
    {
      tool: "close-ticket",
      summary: "Close ticket T-310",
      arguments: { ticket_id: "T-310", note: "Refunded half" },
      outcome: "waiting",
      danger: "medium",
      at: at(1),
    },
  ]);
  return { session, runs };
}

test(
  verifies("clients:page", "profiles with the command that connects a client, tokens, and sessions with what they did"),
  async ({ open, person, deps }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session } = await seedSession(deps, owner, reviewer);
    const page = await open(owner);
    await page.goto("/inbox");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Clients" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Clients" })).toBeVisible();
    const profiles = page.getByRole("region", { name: "Profiles" });
    await expect(profiles).toContainText("npx kimitsu connect claude-code --profile coding");
    await expect(profiles.getByRole("list", { name: "Servers of coding" })).toContainText("shop");
    await expect(page.getByRole("region", { name: "Tokens of clients" })).toContainText(session.tokenName);

    await page.goto(`/clients?who=${encodeURIComponent(owner.name)}&waiting=1`);
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: session.id }) });
    await expect(row).toContainText("Claude Code 2.1.319");
    await expect(row.getByRole("cell").nth(3)).toHaveText("5");
    await expect(row.getByRole("cell").nth(4)).toHaveText("1");
    await expect(row.getByRole("cell").nth(5)).toHaveText("2");
    await expect(row.getByRole("cell").nth(6)).toHaveText("$0.0420");
    await page.goto(`/clients?who=${encodeURIComponent(owner.name)}&profile=other`);
    await expect(page.getByText("No session fits.")).toBeVisible();
  },
);

test(
  verifies("clients:transcript", "each call with its arguments, the policy's line, who decided, and what came back"),
  async ({ open, person, deps }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session, runs } = await seedSession(deps, owner, reviewer);
    const page = await open(await person("viewer"));
    await page.goto(`/clients/${session.id}`);
    const calls = page.getByRole("list", { name: "Calls, in their order" }).locator(":scope > li");
    await expect(calls).toHaveCount(5);
    await expect(calls.nth(0)).toContainText("Read order A-1042");
    await expect(calls.nth(0)).toContainText("2 bags of Kirinyaga");
    await expect(calls.nth(1)).toContainText("denied by the policy");
    await expect(calls.nth(1)).toContainText("profiles/coding.profile.yaml:9");
    await expect(calls.nth(2)).toContainText(`${reviewer.name} rejected`);
    await expect(calls.nth(2)).toContainText("Half of it was delivered");
    await expect(calls.nth(3)).toContainText("Refund R-9 of 18.00 EUR");
    await expect(calls.nth(4).getByRole("link", { name: "Open in the inbox" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Facts" })).toContainText("not checked");
    await page.goto(`/clients/${session.id}?before=${runs[2]}`);
    await expect(calls).toHaveCount(2);
    await page.getByRole("link", { name: "Newest calls" }).click();
    await expect(calls).toHaveCount(5);
    await page.goto("/clients/ses_00000000000000000000000000");
    await expect(page.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible();
  },
);

test(
  verifies("clients:end", "its person revokes the token from the session, and somebody else is not offered it"),
  async ({ open, person, deps }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session } = await seedSession(deps, owner, reviewer);
    const other = await open(await person("operator"));
    await other.goto(`/clients/${session.id}`);
    await expect(other.getByRole("list", { name: "Calls, in their order" })).toBeVisible();
    await expect(other.getByRole("button", { name: "Revoke its token" })).toHaveCount(0);
    const page = await open(owner);
    await page.goto(`/clients/${session.id}`);
    await page.getByRole("button", { name: "Revoke its token" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
    await expect(page.getByRole("region", { name: "Facts" })).toContainText("Token revoked");
    await expect(page.getByRole("button", { name: "Revoke its token" })).toHaveCount(0);
    const token = await deps.db.apiToken.findUniqueOrThrow({ where: { id: session.tokenId } });
    expect(token.revokedAt).not.toBeNull();
  },
);

test(
  verifies("history:sessions", "the row of a session opens its calls, and filters apply to what it stands for"),
  async ({ open, person, deps }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session, runs } = await seedSession(deps, owner, reviewer);
    const page = await open(owner);
    const who = encodeURIComponent(owner.name);
    await page.goto(`/history?who=${who}&via=mcp`);
    const rows = page.getByRole("region", { name: "Runs, newest first" }).locator("tbody tr[aria-rowindex]");
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText("Claude Code 2.1.319");
    await expect(rows.first()).toContainText("shop.close-ticket");
    await expect(rows.first()).toContainText("5 calls, 2 failed");
    await expect(rows.first()).toContainText("1 waiting");
    await rows.first().getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(`session=${session.id}`));
    await expect(rows).toHaveCount(5);
    await expect(page.getByRole("link", { name: "Read it as a transcript" })).toBeVisible();
    await page.goto(`/history?who=${who}&status=failed`);
    await expect(rows.first()).toContainText("2 calls");
    await page.goto(`/history?who=${who}&via=workflow`);
    await expect(page.getByRole("heading", { name: "No run fits" })).toBeVisible();
    await page.goto(`/history/${runs[3]}`);
    await expect(page.getByRole("region", { name: "Facts" })).toContainText("Claude Code 2.1.319");
    await expect(page.getByRole("region", { name: "Facts" })).toContainText(session.tokenName);
  },
);

/** A call that really waits, as if a client had made it. */
async function askAsClient(deps: EngineDeps, owner: Person, reviewer: Person) {
  const { session } = await seedSession(deps, owner, reviewer);
  const asked = await startAndWait(deps, "T-310");
  await deps.db.run.update({ where: { id: asked.runId }, data: { sessionId: session.id } });
  return { session, ...asked };
}

test(
  verifies("clients:asking", "the card names the client as its own word, and says what its session did before"),
  async ({ open, person, deps }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session, approvalId } = await askAsClient(deps, owner, reviewer);
    const page = await open(reviewer);
    const inbox = new InboxPage(page);
    await inbox.open(approvalId);
    await expect(inbox.card).toContainText("client calls itself");
    const part = inbox.card.getByRole("region", { name: "The client that asks" });
    await expect(part).toContainText("Claude Code 2.1.319");
    await expect(part).toContainText("its own word for itself, not checked");
    const before = part.getByRole("list", { name: "What the session did before, newest first" }).getByRole("listitem");
    await expect(before).toHaveCount(5);
    await expect(before.nth(1)).toContainText("Refund 18.00 EUR to order A-1042");
    await expect(before.nth(2)).toContainText("rejected");
    await expect(page.locator(`[data-row="${approvalId}"]`)).toContainText("Claude Code 2.1.319");
    await part.getByRole("link", { name: "Open the session" }).click();
    await expect(page).toHaveURL(`/clients/${session.id}`);
  },
);

for (const { look, options } of LOOKS) {
  test(`clients, a session, its row in History and its card can be read by everyone, ${look}`, async ({
    open,
    person,
    deps,
  }) => {
    const [owner, reviewer] = [await person("operator"), await person("reviewer")];
    const { session, approvalId } = await askAsClient(deps, owner, reviewer);
    const page = await open(owner, options);
    await page.goto("/clients");
    await expect(page.getByRole("link", { name: session.id })).toBeVisible();
    await examine(page, `clients-${look}`, { fullPage: false });
    await page.goto(`/clients/${session.id}`);
    await expect(page.getByRole("list", { name: "Calls, in their order" })).toBeVisible();
    await examine(page, `session-${look}`);
    await page.goto(`/history?who=${encodeURIComponent(owner.name)}`);
    await expect(page.getByText("5 calls").filter({ visible: true }).first()).toBeVisible();
    await examine(page, `history-sessions-${look}`);
    await page.goto(`/inbox/${approvalId}`);
    await expect(page.getByRole("region", { name: "The client that asks" })).toBeVisible();
    await examine(page, `card-client-${look}`);
  });
}
