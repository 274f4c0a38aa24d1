import type { Page } from "@playwright/test";
import { countNeeds } from "@/lib/runs/queries/needs";
import { examine, LOOKS } from "../examine";
import { expect, required, test } from "../fixtures";
import { openOwnProject } from "../own-project";
import { verifies } from "../requirements";

const UNKNOWN = {
  allowlist: "- drop-after",
  script:
    "agents: { worker: { turns: [{ call: [{ tool: drop-after, arguments: { order: 1042 } }] }], otherwise: { output: {} } } }\n",
};
const REVIEW = {
  allowlist: "- echo",
  script: 'agents: { worker: { turns: [{ output: { ktsu_needs_human: "The sums differ", refund: 35.5 } }] } }\n',
};

const inNavigation = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Main" }).filter({ visible: true }).getByRole("link", { name });
const rows = (page: Page) => page.getByRole("region", { name: "Runs, newest first" }).getByRole("row");

test(
  verifies(
    "needs:count",
    "each role sees the number of what it may act on, as text and live, with a link to these runs",
  ),
  async ({ open, person, deps }) => {
    const [operator, reviewer, viewer] = [await person("operator"), await person("reviewer"), await person("viewer")];
    expect(await countNeeds(deps.db), "this runs before anybody else").toEqual({ review: 0, settle: 0, either: 0 });
    const wide = { viewport: { width: 1440, height: 900 } };
    const [page, reviewing, looking] = [
      await open(operator, wide),
      await open(reviewer, wide),
      await open(viewer, wide),
    ];
    for (const each of [page, reviewing, looking]) await each.goto("/tools");
    await expect(inNavigation(page, /to (review|settle)/)).toHaveCount(0);

    const [unknown, review] = [await openOwnProject(deps, UNKNOWN), await openOwnProject(deps, REVIEW)];
    const settled = await unknown.startAndDrive(operator);
    await expect(inNavigation(page, /^1 to settle$/), "without a reload").toBeVisible();
    const reviewed = await review.start(operator);
    await expect(inNavigation(page, /^2 to review or settle$/)).toBeVisible();
    await expect(inNavigation(reviewing, /^1 to review$/), "a reviewer cannot settle").toBeVisible();
    await expect(inNavigation(looking, /to (review|settle)/), "a viewer can do neither").toHaveCount(0);

    await inNavigation(page, /^2 to review or settle$/).click();
    await expect(page).toHaveURL(/\/history\?status=to_review_or_settle$/);
    await expect(rows(page)).toHaveCount(3);
    await expect(
      page.getByRole("search", { name: "Filter runs" }).filter({ visible: true }).getByLabel("Status"),
    ).toHaveValue("to_review_or_settle");
    await inNavigation(reviewing, /^1 to review$/).click();
    await expect(rows(reviewing)).toHaveCount(2);
    await expect(reviewing.getByRole("link", { name: new RegExp(reviewed) })).toBeVisible();

    for (const { look, options } of LOOKS) {
      const other = await open(operator, options);
      await other.goto("/history");
      await expect(other.getByText("2 runs need a person:")).toBeVisible();
      await examine(other, `history-needs-${look}`);
      await other.getByRole("link", { name: "Show them" }).click();
      await expect(rows(other)).toHaveCount(3);
    }

    const headers = { origin: required("BASE_URL") };
    const { id: callId } = await deps.db.call.findFirstOrThrow({ where: { runId: settled } });
    expect(
      (await page.request.post(`/calls/${callId}/settle`, { headers, data: { outcome: "failed" } })).status(),
    ).toBe(200);
    await expect(inNavigation(page, /^1 to review$/)).toBeVisible();
    expect(
      (await reviewing.request.post(`/runs/${reviewed}/review`, { headers, data: { accepted: true } })).status(),
    ).toBe(200);
    await expect(inNavigation(page, /to (review|settle)/)).toHaveCount(0);
    await expect(inNavigation(reviewing, /to (review|settle)/)).toHaveCount(0);
    await unknown.close();
    await review.close();
  },
);
