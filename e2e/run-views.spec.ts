import path from "node:path";
import type { Page } from "@playwright/test";
import { examine, LOOKS } from "./examine";
import { expect, required, test } from "./fixtures";
import { openOwnProject } from "./own-project";
import { RunPage } from "./pages/run-page";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";
import { seedBusyRun } from "./seeded-runs";

const VIEWS = ["", "/steps", "/approvals", "/events"];
const lanes = (page: Page) => page.getByRole("region", { name: "Where the time went" });

test(
  verifies("run:timeline", "zooms by button, key, wheel and dragging, moves, and fits again"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const runId = await seedBusyRun(deps, operator, { turns: 60, events: 10 });
    const run = new RunPage(await open(operator, { viewport: { width: 1440, height: 900 } }));
    await run.open(runId);
    const figure = lanes(run.page);
    const shown = figure.getByText(/^Shown: /);
    const press = (name: string) => figure.getByRole("button", { name }).click();
    await press("Zoom in");
    await expect(shown).toContainText("Shown: 1 min of 2 min, from 30 s after the start.");
    await press("Earlier");
    await expect(shown).toContainText("from 15 s after the start");
    await run.page.keyboard.press("ArrowRight");
    await expect(shown).toContainText("from 30 s after the start");
    await run.page.keyboard.press("+");
    await expect(shown).toContainText("Shown: 30 s of 2 min");
    await run.page.keyboard.press("0");
    await expect(shown).toHaveCount(0);

    const track = await figure.locator("svg[data-track]").first().boundingBox();
    if (!track) throw new Error("the lane has no place on the page");
    const at = (part: number) => track.x + track.width * part;
    const y = track.y + track.height / 2;
    await run.page.mouse.move(at(0.25), y);
    await run.page.mouse.down();
    await run.page.mouse.move(at(0.4), y, { steps: 3 });
    await run.page.mouse.move(at(0.5), y, { steps: 3 });
    await run.page.mouse.up();
    await expect(shown).toContainText(/Shown: (29|30) s of 2 min, from (29|30) s/);
    await press("Fit");
    await expect(shown).toHaveCount(0);
    await run.page.mouse.move(at(0.5), y);
    await run.page.keyboard.down("Control");
    await run.page.mouse.wheel(0, -600);
    await run.page.keyboard.up("Control");
    await expect(shown).toBeVisible();
    await expect(run.page).toHaveURL(`/history/${runId}`);
  },
);

for (const { look, options } of LOOKS) {
  test(
    verifies(
      "run:edited",
      verifies(
        "run:copy",
        `proposed beside effective on the call and among the approvals, to be copied as shown, ${look}`,
      ),
    ),
    async ({ open, person, deps }) => {
      const [operator, reviewer] = [await person("operator"), await person("reviewer")];
      const own = await openOwnProject(deps, {
        script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
        allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
      });
      const runId = await own.startAndDrive(operator);
      const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId } });
      const decider = await open(reviewer);
      const answer = await decider.request.post(`/approvals/${id}/decide`, {
        headers: { origin: required("BASE_URL") },
        data: { decision: "approve", arguments: { text: "good\u200Bbye" }, comment: "fine\u202E" },
      });
      expect(answer.status()).toBe(200);
      const run = new RunPage(await open(operator, { ...options, permissions: ["clipboard-read", "clipboard-write"] }));
      const { page } = run;
      const change = page
        .getByRole("table", { name: "Changed by a person" })
        .getByRole("row", { name: 'text "hello" "good⟨U+200B⟩bye"' });
      await run.open(runId, "/approvals");
      await expect(change).toBeVisible();
      await examine(page, `run-edited-approvals-${look}`);
      await run.open(runId, "/steps");
      const card = page.getByRole("group").filter({ hasText: "echo" }).first();
      if (!(await change.isVisible())) await card.locator("summary").first().click();
      await expect(change).toBeVisible();
      await examine(page, `run-edited-call-${look}`);
      for (const address of [`/history/${runId}/events`, `/audit?chain=${runId}`]) {
        await page.goto(address);
        const event = page.getByRole("listitem").filter({ hasText: "approval.decided" });
        await event.locator("summary").click();
        await expect(event, "nothing hides in an event").toContainText("fine⟨U+202E⟩");
      }
      await run.open(runId, "/steps");
      if (!(await change.isVisible())) await card.locator("summary").first().click();
      const copied = async (name: string) => {
        await page.getByRole("button", { name }).click();
        await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
        const text = await page.evaluate(() => navigator.clipboard.readText());
        await expect(page.getByRole("button", { name: "Copied" })).toHaveCount(0);
        return text;
      };
      expect(JSON.parse(await copied("Copy arguments, redacted"))).toEqual({ text: "good⟨U+200B⟩bye" });
      const { digest } = await deps.db.call.findFirstOrThrow({ where: { runId } });
      expect(await copied("Copy digest")).toBe(digest);
      expect(await copied("Copy configuration hash")).toBe(
        (await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).configHash,
      );
      await own.close();
    },
  );
}

test(
  verifies("run:large", "a run of more than 10,000 events opens in each of its views, with pages of what it did"),
  async ({ open, person, deps }) => {
    const operator = await person("operator");
    const runId = await seedBusyRun(deps, operator, { turns: 3000, events: 12_004 });
    const run = new RunPage(await open(operator));
    for (const view of VIEWS) {
      await run.open(runId, view);
      expect.soft(await run.page.locator("main *").count(), `elements of ${view || "the timeline"}`).toBeLessThan(6000);
    }
    await run.open(runId);
    const what = run.page.getByRole("region", { name: "What happened" });
    await expect(what).toContainText("5,976 more between these; 24 of 6,000 are shown.");
    await expect(what).toContainText("Model turn 3000");
    const figure = lanes(run.page);
    await expect(figure.getByText(/6,000 turns, calls and questions are drawn as \d+ blocks/)).toBeVisible();
    await run.page.screenshot({ path: path.join("test-results/screens", "run-large.png") });
    for (let n = 0; n < 6; n++) await figure.getByRole("button", { name: "Zoom in" }).click();
    // A sixty-fourth of it is few enough to be drawn separately.
    await expect(figure.getByText(/^Shown: /)).not.toContainText("are drawn as");
    await expect(
      figure
        .locator("title")
        .filter({ hasText: /^turn 15\d\d, 1.0 s$/ })
        .first(),
    ).toBeAttached();
    await expect(run.views.getByRole("link", { name: "Events 12,004" })).toBeVisible();
    await run.show("Events");
    await run.page.getByRole("link", { name: "Next page" }).click();
    await expect(
      run.page.getByRole("list", { name: "Events, oldest first" }).getByRole("listitem").first(),
    ).toContainText("101");
  },
);

test(
  verifies("run:print", "on paper a run is its record: no navigation, no buttons, and nothing folded"),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const run = new RunPage(await open(await person("operator")));
    await run.page.emulateMedia({ media: "print" });
    for (const view of VIEWS) {
      await run.open(runId, view);
      await expect(run.page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
      await expect(run.page.getByRole("button").filter({ visible: true })).toHaveCount(0);
      await run.page.screenshot({
        path: path.join("test-results/screens", `run${view.replace("/", "-")}-print.png`),
        fullPage: true,
      });
    }
    await run.open(runId, "/steps");
    await expect(run.page.getByText("from the agent's file, as it was when the run began")).toBeVisible();
    for (const details of await run.page.locator("main details").all())
      await expect(details.locator(":scope > :not(summary)").first()).toBeVisible();
    const paper = await run.page.pdf({ path: path.join("test-results/screens", "run.pdf"), format: "A4" });
    expect(paper.byteLength).toBeGreaterThan(10_000);
  },
);

test(
  verifies("run:why", "a call says which lines of the YAML decided it, and an approval says how long it took"),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const run = new RunPage(await open(await person("viewer")));
    await run.open(runId, "/steps");
    await expect(run.page.getByText(/policy\.yaml:\d+|agent\.yaml:\d+/).first()).toBeVisible();
    await run.show("Approvals");
    await expect(run.page.getByText(/so far, 0 of \d/)).toBeVisible();
    await expect(run.facts.getByText("Configuration")).toBeVisible();
  },
);

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `a timeline that is zoomed, ${look}`), async ({ open, person, deps }) => {
    const operator = await person("operator");
    const runId = await seedBusyRun(deps, operator, { turns: 60, events: 10 });
    const run = new RunPage(await open(operator, options));
    await run.open(runId);
    await lanes(run.page).getByRole("button", { name: "Zoom in" }).click();
    await lanes(run.page).getByRole("button", { name: "Zoom in" }).click();
    await expect(lanes(run.page).getByText(/^Shown: /)).toBeVisible();
    await examine(run.page, `run-zoomed-${look}`);
  });
}
