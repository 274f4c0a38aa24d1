import { examine, LOOKS } from "./examine";
import { expect, test } from "./fixtures";
import { RunPage } from "./pages/run-page";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";

/** The demo's own key, which the shop is called with. */
const SECRET = "demo-shop-key";
const VIEWS = ["", "/steps", "/approvals", "/events"];

test(
  verifies(
    "history:filters",
    "they are in the address and show the same to someone else; what cannot be read is named",
  ),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const page = await open(await person("viewer"));
    await page.goto("/history");
    const filter = page.getByRole("search", { name: "Filter runs" });
    await filter.getByLabel("Text").fill(runId);
    await filter.getByLabel("Status").selectOption("pending_approval");
    await filter.getByRole("button", { name: "Filter" }).click();
    await expect(page).toHaveURL(new RegExp(`q=${runId}`));
    const rows = page.getByRole("region", { name: "Runs, newest first" }).getByRole("row");
    await expect(rows).toHaveCount(2);

    const shared = await open(await person("viewer"));
    await shared.goto(page.url());
    await expect(shared.getByRole("link", { name: new RegExp(runId) })).toBeVisible();
    await shared.goto(`/history?q=${runId}&status=complete`);
    await expect(shared.getByText("No run fits")).toBeVisible();
    await shared.goto("/history?from=yesterday&status=broken");
    await expect(shared.getByRole("alert").filter({ hasText: "yesterday" })).toContainText("2026-01-31T09:30");
    await expect(shared.getByRole("alert").filter({ hasText: "broken" })).toContainText("pending_approval");
  },
);

test(verifies("run:held", "with its map, its conversation and its approvals"), async ({ open, person, deps }) => {
  const { runId, approvalId } = await startAndWait(deps, "T-315");
  const run = new RunPage(await open(await person("viewer")));
  await run.open(runId);
  await expect(run.page.getByRole("region", { name: "Waiting for approval" })).toContainText("Held, not failed");
  await expect(run.page.getByRole("region", { name: "What happened" })).toContainText("Waiting for a person");
  await expect(run.page.getByRole("button", { name: "Cancel run…" })).toHaveCount(0);
  await run.map.getByRole("link", { name: /^act/ }).click();
  const turn = run.page.getByRole("article", { name: "Turn 1" });
  await expect(turn).toContainText("Written by the model, not checked by Kimitsu");
  await expect(turn).toContainText("shop.delete-customer");
  await expect(turn.getByRole("link", { name: "Open in the inbox" })).toHaveAttribute("href", `/inbox/${approvalId}`);
  await run.show("Approvals");
  await expect(run.page.getByRole("list", { name: "Approvals, oldest first" })).toContainText("privacy");
});

test(
  verifies(
    "run:cancel",
    "an operator cancels a run, its question is withdrawn, and a retry continues as a new run that is linked to it",
  ),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const run = new RunPage(await open(await person("operator")));
    await run.open(runId);
    await run.page.getByRole("button", { name: "Cancel run…" }).click();
    await run.page.getByLabel("Reason, for the record").fill("Started by mistake");
    await run.page.getByRole("button", { name: "Cancel the run" }).click();
    await expect(run.facts.getByText("Cancelled", { exact: true })).toBeVisible();
    await run.show("Approvals");
    await expect(run.page.getByText("Withdrawn", { exact: true })).toBeVisible();
    await run.show("Events");
    await expect(run.page.getByText("run.cancelled")).toBeVisible();

    await run.page.getByRole("button", { name: "Retry…" }).click();
    await run.page.getByRole("button", { name: "Start the retry" }).click();
    await expect.poll(() => run.runId()).not.toBe(runId);
    await expect(run.facts.getByRole("link", { name: runId.slice(-8) })).toBeVisible();
    await expect(run.map.getByRole("link", { name: /^look-into complete/ })).toBeVisible();
  },
);

test(
  verifies("run:live", "someone else's cancellation shows on an open page, without a reload"),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const [watching, acting] = [
      new RunPage(await open(await person("viewer"))),
      new RunPage(await open(await person("operator"))),
    ];
    await watching.open(runId);
    await expect(watching.facts.getByText("Waiting for approval")).toBeVisible();
    await acting.open(runId);
    await acting.page.getByRole("button", { name: "Cancel run…" }).click();
    await acting.page.getByRole("button", { name: "Cancel the run" }).click();
    await expect(watching.facts.getByText("Cancelled", { exact: true })).toBeVisible();
  },
);

test(
  verifies(
    "run:secrets",
    "a secret that the run was started with is in no view of it, and a run that does not exist is not found",
  ),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const page = await open(await person("admin"));
    for (const view of VIEWS) {
      await page.goto(`/history/${runId}${view}`);
      expect(await page.content(), `the secret in ${view || "the timeline"}`).not.toContain(SECRET);
    }
    for (const { address, says } of [
      { address: `/history/run_${"0".repeat(26)}`, says: "There is no such run" },
      { address: "/history/nonsense", says: "There is no such run" },
      { address: `/history/${runId}/steps/step_${"0".repeat(26)}`, says: "This run has no such step" },
    ]) {
      await page.goto(address);
      await expect(page.getByRole("heading", { name: says })).toBeVisible();
    }
  },
);

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `every view of a run, ${look}`), async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const run = new RunPage(await open(await person("operator"), options));
    for (const view of VIEWS) {
      await run.open(runId, view);
      await examine(run.page, `run${view.replace("/", "-")}-${look}`);
    }
    await run.page.goto("/history");
    await expect(run.page.getByRole("heading", { level: 1, name: "History" })).toBeVisible();
    await examine(run.page, `history-${look}`);
  });
}
