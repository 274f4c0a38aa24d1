import type { EngineDeps } from "@/lib/database/deps";
import { changeQuestions } from "@/lib/testing/change-question";
import { examine, LOOKS } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { openOwnProject, type OwnProject } from "./own-project";
import { InboxPage } from "./pages/inbox-page";
import { verifies } from "./requirements";

const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
};

async function ask(
  deps: EngineDeps,
  own: OwnProject,
  by: Person,
  facts: { summary: string; tool: string },
): Promise<{ id: string; runId: string }> {
  const runId = await own.startAndDrive(by);
  const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId, status: "pending" } });
  await changeQuestions(deps.db, [id], { approval: facts });
  return { id, runId };
}

test(
  verifies(
    "inbox:search",
    "by keys: words, a run and a person are found, J opens what was found, Esc shows everything again; a tool is a choice",
  ),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    const [ana, one, other] = [await person("reviewer"), await person("operator"), await person("operator")];
    // With a letter that no made-up name or address has: a number alone may be part of one.
    const refund = await ask(deps, own, one, { summary: "Refund 12 EUR for order A-77K", tool: "refund" });
    const mail = await ask(deps, own, other, { summary: "Send a letter to order A-78K", tool: "letter" });
    const inbox = new InboxPage(await open(ana, { viewport: { width: 1440, height: 900 } }));
    const { page } = inbox;
    const shows = (...expected: string[]) =>
      expect
        .poll(() =>
          inbox.queue.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row"))),
        )
        .toEqual(expected);
    const field = page.getByRole("searchbox", { name: "Search the queue" });
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    const look = async (text: string) => {
      await page.keyboard.press("/");
      await expect(field).toBeFocused();
      await field.fill(text);
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(new RegExp(`workflow=${own.workflow}.*q=`));
      await expect(field).not.toBeFocused();
    };
    for (const [text, found] of [
      ["order lett", mail.id],
      ["a-77k", refund.id],
      [mail.runId, mail.id],
      [one.name, refund.id],
    ] as const) {
      await look(text);
      await shows(found);
      await expect(field).toHaveValue(text);
    }
    await examine(page, "inbox-search", { fullPage: false });
    await page.reload();
    await shows(refund.id);
    await expect(field).toHaveValue(one.name);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(new RegExp(`${refund.id}.*q=`));
    await look("zebra");
    await expect(page.getByText("No pending call fits these filters.")).toBeVisible();
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await shows(refund.id, mail.id);
    await expect(page).not.toHaveURL(/q=/);

    const { server } = await deps.db.approval.findUniqueOrThrow({ where: { id: mail.id } });
    await page.getByLabel("Tool", { exact: true }).selectOption({ label: `${server}.letter` });
    await shows(mail.id);
    await expect(page).toHaveURL(new RegExp(`tool=${server}\\.letter`));
    await page.getByRole("navigation", { name: "Filter" }).getByRole("link", { name: /^All/ }).click();
    await expect(page).not.toHaveURL(/tool=|workflow=/);
    await own.close();
  },
);

for (const { look, options } of LOOKS) {
  test(
    verifies("inbox:search", verifies("ui:accessible", `with every filter in use, ${look}`)),
    async ({ open, person, deps }) => {
      const own = await openOwnProject(deps, ASKS);
      const { id } = await ask(deps, own, await person("operator"), {
        summary: "Refund 12 EUR for order A-77",
        tool: "refund",
      });
      const { server } = await deps.db.approval.findUniqueOrThrow({ where: { id } });
      const page = await open(await person("reviewer"), options);
      await page.goto(
        `/inbox?workflow=${own.workflow}&agent=worker&tool=${server}.refund&q=refund+order&danger=medium`,
      );
      await expect(page.getByRole("searchbox")).toHaveValue("refund order");
      await examine(page, `inbox-filters-${look}`, { fullPage: false });
      await own.close();
    },
  );
}

test(
  verifies("inbox:search", "without scripts the field is a form that keeps the other filters"),
  async ({ open, person, deps }) => {
    const own = await openOwnProject(deps, ASKS);
    await ask(deps, own, await person("operator"), { summary: "Refund 12 EUR for order A-77", tool: "refund" });
    const page = await open(await person("reviewer"), { javaScriptEnabled: false });
    await page.goto(`/inbox?workflow=${own.workflow}&sort=age`);
    await page.getByRole("searchbox").fill("zebra");
    await page.getByRole("searchbox").press("Enter");
    await expect(page).toHaveURL(new RegExp(`q=zebra&workflow=${own.workflow}&sort=age`));
    await expect(page.getByText("No pending call fits these filters.")).toBeVisible();
    await own.close();
  },
);
