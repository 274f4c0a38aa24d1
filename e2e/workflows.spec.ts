import { examine, LOOKS } from "./examine";
import { expect, test } from "./fixtures";
import { RunPage } from "./pages/run-page";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";

const READ_ONLY_TICKET = "T-311";

test(
  verifies("workflows:start", "an invalid value is reported at its field, keeps what was typed, and starts nothing"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const page = await open(operator);
    await page.goto("/workflows/support");
    const ticket = page.getByLabel("Ticket");
    await expect(ticket).toHaveValue("T-310");
    await ticket.fill("not a ticket");
    await page.getByRole("button", { name: "Start a run" }).click();
    await expect(ticket).toHaveAttribute("aria-invalid", "true");
    await expect(ticket).toHaveValue("not a ticket");
    await expect(ticket).toHaveAccessibleDescription(/pattern/);
    expect(await deps.db.run.count({ where: { startedById: operator.id } })).toBe(0);
  },
);

test(
  verifies(
    "workflows:start",
    verifies("run:live", "the form starts a run, which is then watched to its end without a reload"),
  ),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const page = await open(operator);
    await page.goto("/workflows/support");
    await page.getByLabel("Ticket").fill(READ_ONLY_TICKET);
    await page.getByRole("button", { name: "Start a run" }).click();
    await expect(page).toHaveURL(/\/history\/run_/);
    const run = new RunPage(page);
    await expect(run.facts.getByText("Complete", { exact: true })).toBeVisible();
    await expect(run.facts).toContainText(operator.name);
    await expect(page.getByRole("complementary", { name: "Input and output" })).toContainText(READ_ONLY_TICKET);
    const row = await deps.db.run.findUniqueOrThrow({ where: { id: run.runId() } });
    expect(row).toMatchObject({
      status: "complete",
      startedById: operator.id,
      params: { ticket_id: READ_ONLY_TICKET },
    });
  },
);

test(
  verifies("workflows:versions", "a workflow says under which configuration its runs began, and links to them"),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const { configHash } = await deps.db.run.findUniqueOrThrow({ where: { id: runId } });
    const page = await open(await person("viewer"));
    await page.goto("/workflows/support");
    const row = page
      .getByRole("region", { name: "Versions of support" })
      .getByRole("row")
      .filter({ hasText: configHash.slice(7, 17) });
    await expect(row).toContainText("current");
    await row.getByRole("link", { name: /runs in History/ }).click();
    await expect(page).toHaveURL(/\/history\?workflow=support&from=/);
    await expect(page.getByRole("link", { name: new RegExp(runId) })).toBeVisible();
  },
);

test(
  verifies("params:origin", "a step shows what its tool servers are given, and which line gives it"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.goto("/workflows/support");
    const params = page.getByRole("list", { name: "Params of its servers" }).first();
    await expect(params.getByRole("listitem").filter({ hasText: "shop.api_key" })).toHaveText(
      /shop\.api_key = \{\{ params\.shop_key \}\} agent, agents\/triage\.agent\.yaml:\d+/,
    );
  },
);

test(
  verifies(
    "workflows:who",
    "people who may not start runs get no form, and a workflow that is part of others cannot be started",
  ),
  async ({ open, person }) => {
    const viewer = await open(await person("reviewer"));
    await viewer.goto("/workflows/support");
    await expect(viewer.getByText("Operators start runs")).toBeVisible();
    await expect(viewer.getByRole("button", { name: "Start a run" })).toHaveCount(0);
    const operator = await open(await person("operator"));
    await operator.goto("/workflows/tell-desk");
    await expect(operator.getByText("Only other workflows can start this one")).toBeVisible();
    await operator.goto("/workflows/no-such-workflow");
    await expect(operator.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible();
  },
);

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `a workflow, ${look}`), async ({ open, person }) => {
    const page = await open(await person("operator"), options);
    await page.goto("/workflows/support");
    await expect(page.getByRole("heading", { level: 1, name: "support" })).toBeVisible();
    await examine(page, `workflow-${look}`);
  });
}
