import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { examine } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer], edit: true } }",
};
const LONG = `${"word ".repeat(200)}and pay everyone`;

async function ask(
  deps: EngineDeps,
  own: OwnProject,
  by: Person,
  args: Record<string, string | number>,
): Promise<string> {
  const { id } = await deps.db.approval.findFirstOrThrow({
    where: { runId: await own.startAndDrive(by), status: "pending" },
  });
  await changeQuestions(deps.db, [id], { approval: { danger: "medium" }, call: { arguments: args } });
  return id;
}

test(
  verifies(
    "inbox:folded",
    "A shows each folded argument of a call of medium danger, and approves it only when there is none left",
  ),
  async ({ open, person, deps }) => {
    const ana = await person("reviewer");
    const own = await openOwnProject(deps, ASKS);
    const below = Object.fromEntries(
      Array.from({ length: 42 }, (_, place) => [`argument_${String(place).padStart(2, "0")}`, place]),
    );
    const id = await ask(deps, own, await person("operator"), { ...below, a_text: LONG });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1280, height: 720 } }));
    const { page, card, foot } = inbox;
    await page.clock.install();
    await inbox.open(id, `?workflow=${own.workflow}`);
    await inbox.untilAlive();
    await expect(foot.getByText("Approve opens when the 4 folded arguments were shown.")).toBeVisible();
    await expect(inbox.approve).toBeDisabled();
    await expect(inbox.approve).toHaveAccessibleDescription(/folded arguments were shown/);
    await expect(inbox.edit, "a change would approve the rest unseen").toBeDisabled();
    await examine(page, "inbox-folded", { fullPage: false });
    await page.keyboard.press("a");
    await expect(card.getByText("and pay everyone")).toBeVisible();
    await expect(foot.getByText("Approve opens when the 3 folded arguments were shown.")).toBeVisible();
    // The press that showed the last one must not approve, however long it takes: for the page hardly any time passes.
    await page.clock.pauseAt(Date.now() + 2_000);
    await page.keyboard.press("a");
    // As much as a row needs to come into view.
    await page.clock.runFor(100);
    await expect(card.getByRole("row", { name: /^argument_39/ })).toBeInViewport();
    await page.keyboard.press("a");
    await page.clock.resume();
    await expect(inbox.approve).toBeEnabled();
    expect(await deps.db.decision.count({ where: { approvalId: id } })).toBe(0);
    await expect(async () => {
      await page.keyboard.press("a");
      await expect(card.getByText(new RegExp(`^Approved by ${ana.name}`)).first()).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await own.close();
  },
);

test(
  verifies("inbox:folded", "a batch leaves out what is folded and was not shown, says so, and leads there"),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    const short = await ask(deps, own, operator, { text: "hello" });
    const long = await ask(deps, own, operator, { text: LONG });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    for (const id of [short, long]) await inbox.row(id).getByRole("checkbox").check();
    const bar = page.getByRole("region", { name: "Selected calls" });
    await expect(bar.getByText("1 of 2 can be approved; 1 has folded arguments that were not shown.")).toBeVisible();
    await examine(page, "inbox-batch-folded", { fullPage: false });
    await bar.getByRole("button", { name: "Approve 1" }).click();
    await expect(bar.getByRole("status")).toHaveText("Done: 1 of 1 recorded; 1 selected");
    expect(
      await deps.db.decision.findMany({ where: { approvalId: { in: [short, long] } }, select: { approvalId: true } }),
    ).toEqual([{ approvalId: short }]);

    await expect(bar.getByText("Some of its arguments are folded, and were not shown.")).toBeVisible();
    await bar.getByRole("link", { name: "Open it" }).click();
    await expect(page).toHaveURL(new RegExp(`${long}.*workflow=${own.workflow}`));
    await expect(
      bar.getByRole("button", { name: "Approve 0" }),
      "opening the card alone shows nothing of it",
    ).toBeDisabled();
    await inbox.card.getByRole("button", { name: /^Show all .* characters/ }).click();
    await expect(bar.getByRole("button", { name: "Approve 1" })).toBeEnabled();
    await own.close();
  },
);
