import type { Page } from "@playwright/test";
import type { EngineDeps } from "@/lib/database/deps";
import { makeChanges } from "@/lib/testing/make-changes";
import type { StepError } from "@/lib/runs/snapshot";
import { examine, LOOKS } from "./examine";
import { expect, type Person, test } from "./fixtures";
import { openOwnProject } from "./own-project";
import { RunPage } from "./pages/run-page";
import { verifies } from "./requirements";
import { intercept } from "./intercept";

/** The tool does its work and closes the connection without an answer. */
const UNKNOWN = {
  allowlist: "- drop-after",
  script: `agents:
  worker:
    turns:
      - say: "The second payment goes back."
        call: [{ tool: drop-after, arguments: { order: 1042, amount: 35.5 } }]
    otherwise: { output: { refund: "{{ status.drop-after }}", told: "{{ results.drop-after }}" } }
`,
};
const REVIEW = {
  allowlist: "- echo",
  script: `agents:
  worker:
    turns:
      - output: { ktsu_needs_human: "The two payments differ by a cent", refund: 35.5 }
`,
};

async function arrive(deps: EngineDeps, by: Person, project: { script: string; allowlist: string }) {
  const own = await openOwnProject(deps, project);
  const runId = await (project === UNKNOWN ? own.startAndDrive(by) : own.start(by));
  await expect
    .poll(async () => (await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).status)
    .toBe("needs_human_review");
  return { ...own, runId };
}

const statusOf = async (deps: EngineDeps, runId: string) =>
  (await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).status;

/** The choice, as it is shown afterwards. */
const SAID: Readonly<Record<string, string>> = {
  "It happened": "it happened",
  "Count it as failed": "it counts as failed",
  "It did not happen: send it now": "it did not happen, so it may be sent again",
};

/** At the head of the run, with the exact time on hover. */
async function expectAct(run: RunPage, text: string): Promise<void> {
  const line = run.facts.getByRole("listitem").filter({ hasText: text.split(" just now")[0] });
  // On paper it has the time itself.
  await expect(line).toHaveText(text, { useInnerText: true });
  await expect(line.locator("time").first()).toHaveAttribute("title", /\d{4}.*\d\d?:\d\d:\d\d/);
}

test.describe(verifies("run:settle", "a call whose outcome is unknown"), () => {
  for (const choice of ["It happened", "Count it as failed", "It did not happen: send it now"]) {
    test(`is settled by an operator: ${choice}`, async ({ open, person, deps }) => {
      const operator = await person("operator");
      const { runId, recorder, close } = await arrive(deps, operator, UNKNOWN);
      const { server } = await deps.db.call.findFirstOrThrow({ where: { runId } });
      const run = new RunPage(await open(operator));
      await run.open(runId);
      const panel = run.page.getByRole("region", { name: /^Unknown outcome of/ });
      await expect(panel).toContainText("Nobody knows whether this call happened");
      await panel.getByRole("button", { name: "Settle…" }).click();
      const dialog = run.page.getByRole("dialog", { name: "What became of the call?" });
      await dialog.getByRole("radio", { name: choice }).check();
      if (choice === "It happened") await dialog.getByLabel("Result, if it happened").fill('{ "receipt": 7 }');
      await dialog.getByLabel("Comment, for the record").fill("Seen in the shop's books");
      await dialog.getByRole("button", { name: "Settle", exact: true }).click();
      await expect(dialog).toBeHidden();
      // Sent again, it would be refused by the application's own lock file, because the stricter one applies; so it
      // ends in each case.
      await expect(run.facts.getByText("Complete", { exact: true })).toBeVisible();
      await expect(panel).toHaveCount(0);
      expect(await recorder.calls("drop-after")).toHaveLength(1);
      if (choice === "It happened")
        await expect(run.page.getByRole("complementary", { name: "Input and output" })).toContainText('"receipt": 7');
      await expectAct(
        run,
        `${server}.drop-after settled by ${operator.name} just now: ${SAID[choice]}. “Seen in the shop's books”`,
      );
      await expect(run.page.getByRole("region", { name: "What happened" })).toContainText(
        `Settled by ${operator.name} just now: ${SAID[choice]}. “Seen in the shop's books”`,
        { useInnerText: true },
      );
      await run.show("Conversation");
      await run.page.locator("summary").filter({ hasText: "drop-after" }).click();
      await expect(run.page.getByRole("article", { name: "Turn 1" })).toContainText(`Settled by ${operator.name}`);
      await run.show("Events");
      await expect(run.page.getByText("call.settled")).toBeVisible();
      await close();
    });
  }

  test("is shown to people who may not settle it, without the button", async ({ open, person, deps }) => {
    const { runId, close } = await arrive(deps, await person("operator"), UNKNOWN);
    const run = new RunPage(await open(await person("reviewer")));
    await run.open(runId);
    await expect(run.page.getByRole("region", { name: /^Unknown outcome of/ })).toContainText(
      "An operator can settle it",
    );
    await expect(run.page.getByRole("button", { name: "Settle…" })).toHaveCount(0);
    await close();
  });
});

test.describe(verifies("run:review", "an answer that an agent submits for review"), () => {
  test("is accepted, and the run continues with it", async ({ open, person, deps }) => {
    const { runId, close } = await arrive(deps, await person("operator"), REVIEW);
    const reviewer = await person("reviewer");
    const run = new RunPage(await open(reviewer));
    await run.open(runId);
    const panel = run.page.getByRole("region", { name: "An answer waits for a person" });
    await expect(panel).toContainText("The two payments differ by a cent");
    await expect(panel).toContainText("35.5");
    await panel.getByRole("button", { name: "Accept the answer…" }).click();
    await run.page.getByLabel("Comment, for the record").fill("A cent of rounding");
    await run.page.getByRole("button", { name: "Accept", exact: true }).click();
    await expect(run.facts.getByText("Complete", { exact: true })).toBeVisible();
    await expect(panel).toHaveCount(0);
    await expectAct(run, `Answer of refund accepted by ${reviewer.name} just now: “A cent of rounding”`);
    await expect(run.page.getByRole("region", { name: "What happened" })).toContainText(
      `Answer accepted by ${reviewer.name}`,
    );
    await close();
  });

  test("is not accepted by the person who started the run, and the page says why", async ({ open, person, deps }) => {
    const starter = await person("operator");
    const { runId, close } = await arrive(deps, starter, REVIEW);
    const run = new RunPage(await open(starter));
    await run.open(runId);
    const panel = run.page.getByRole("region", { name: "An answer waits for a person" });
    await expect(panel).toContainText("cannot accept its answers");
    await expect(panel.getByRole("button", { name: "Accept the answer…" })).toHaveCount(0);
    await examine(run.page, "run-review-own");
    await close();
  });

  test("is not accepted by a dialog that was opened for another answer", async ({ open, person, deps }) => {
    const { runId, close } = await arrive(deps, await person("operator"), REVIEW);
    const run = new RunPage(await open(await person("reviewer")));
    await run.open(runId);
    const panel = run.page.getByRole("region", { name: "An answer waits for a person" });
    await panel.getByRole("button", { name: "Accept the answer…" }).click();
    await run.page.getByLabel("Comment, for the record").fill("A cent of rounding");
    const rawOutput = { ktsu_needs_human: "The two payments differ by a cent", refund: 3550 };
    await makeChanges(deps.db, runId, ({ steps }) =>
      [...steps.values()]
        .filter(({ status }) => status === "needs_human_review")
        .map(({ id: stepId, key, error }) => {
          const move = { stepId, key, to: "needs_human_review", rawOutput, error: error as StepError | null } as const;
          return { kind: "step_moved", at: deps.now().toISOString(), move };
        }),
    );
    await expect(panel).toContainText("3550");
    await expect(run.page.getByRole("dialog")).toHaveCount(0);
    expect(await statusOf(deps, runId)).toBe("needs_human_review");
    await close();
  });

  test("is refused, and the run ends; a viewer only reads it", async ({ open, person, deps }) => {
    const { runId, close } = await arrive(deps, await person("operator"), REVIEW);
    const [viewer, run] = [
      new RunPage(await open(await person("viewer"))),
      new RunPage(await open(await person("reviewer"))),
    ];
    await viewer.open(runId);
    await expect(viewer.page.getByText("A reviewer can accept it or end the run.")).toBeVisible();
    await run.open(runId);
    await run.page.getByRole("button", { name: "End the run…" }).click();
    await run.page.getByRole("button", { name: "End the run", exact: true }).click();
    await expect(run.facts.getByText("Failed", { exact: true })).toBeVisible();
    await expect(viewer.facts.getByText("Failed", { exact: true })).toBeVisible();
    expect(await statusOf(deps, runId)).toBe("failed");
    await close();
  });
});

test(verifies("run:acts", "who cancelled a run and why is shown at its head"), async ({ open, person, deps }) => {
  const operator = await person("operator");
  const { runId, close } = await arrive(deps, operator, REVIEW);
  const run = new RunPage(await open(operator));
  await run.open(runId);
  await run.page.getByRole("button", { name: "Cancel run…" }).click();
  await run.page.getByLabel("Reason, for the record").fill("Asked for twice");
  await run.page.getByRole("button", { name: "Cancel the run" }).click();
  await expectAct(run, `Cancelled by ${operator.name} just now: “Asked for twice”`);
  const viewer = new RunPage(await open(await person("viewer")));
  await viewer.open(runId);
  await expectAct(viewer, `Cancelled by ${operator.name} just now: “Asked for twice”`);
  await close();
});

/** What the page sends is lost, until the returned function is called. */
async function loseRequests(page: Page): Promise<() => Promise<void>> {
  const address = /history\/run_/;
  await intercept(page, address, (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 404, body: "lost" }) : route.continue(),
  );
  return () => page.unroute(address);
}

const LOST = "It may or may not have been done; look before you do it again.";

test.describe(verifies("ui:lost-answer", "an answer that never came"), () => {
  test("to settling a call: the dialog keeps what was typed and says that the outcome is unknown, and it can be sent again", async ({
    open,
    person,
    deps,
  }) => {
    const operator = await person("operator");
    const { runId, close } = await arrive(deps, operator, UNKNOWN);
    const run = new RunPage(await open(operator));
    await run.open(runId);
    const arrives = await loseRequests(run.page);
    await run.page.getByRole("button", { name: "Settle…" }).click();
    const dialog = run.page.getByRole("dialog", { name: "What became of the call?" });
    await dialog.getByRole("radio", { name: "It happened" }).check();
    await dialog.getByLabel("Result, if it happened").fill('{ "receipt": 7 }');
    await dialog.getByLabel("Comment, for the record").fill("Seen in the books");
    await dialog.getByRole("button", { name: "Settle", exact: true }).click();
    await expect(dialog.getByRole("alert")).toContainText(LOST);
    await expect(dialog.getByRole("radio", { name: "It happened" })).toBeChecked();
    await expect(dialog.getByLabel("Result, if it happened")).toHaveValue('{ "receipt": 7 }');
    await expect(dialog.getByLabel("Comment, for the record")).toHaveValue("Seen in the books");
    expect(await statusOf(deps, runId)).toBe("needs_human_review");
    await arrives();
    await dialog.getByRole("button", { name: "Settle", exact: true }).click();
    await expect(run.facts.getByText("Complete", { exact: true })).toBeVisible();
    await close();
  });

  test("to cancelling a run: the reason stays, and the run is what it was", async ({ open, person, deps }) => {
    const operator = await person("operator");
    const { runId, close } = await arrive(deps, operator, REVIEW);
    const run = new RunPage(await open(operator));
    await run.open(runId);
    await loseRequests(run.page);
    await run.page.getByRole("button", { name: "Cancel run…" }).click();
    const dialog = run.page.getByRole("dialog", { name: "Cancel this run?" });
    await dialog.getByLabel("Reason, for the record").fill("Asked for twice");
    await dialog.getByRole("button", { name: "Cancel the run" }).click();
    await expect(dialog.getByRole("alert")).toContainText(LOST);
    await expect(dialog.getByLabel("Reason, for the record")).toHaveValue("Asked for twice");
    await expect(run.page.getByText("This page could not be shown")).toHaveCount(0);
    expect(await statusOf(deps, runId)).toBe("needs_human_review");
    await close();
  });
});

for (const { look, options } of LOOKS) {
  test(verifies("ui:accessible", `what a run asks of people, ${look}`), async ({ open, person, deps }) => {
    const [starter, operator] = [await person("operator"), await person("operator")];
    for (const { project, name, button } of [
      { project: UNKNOWN, name: "settle", button: "Settle…" },
      { project: REVIEW, name: "review", button: "Accept the answer…" },
    ]) {
      const { runId, close } = await arrive(deps, starter, project);
      const run = new RunPage(await open(operator, options));
      await run.open(runId);
      await examine(run.page, `run-${name}-${look}`);
      await run.page.getByRole("button", { name: button }).click();
      const dialog = run.page.getByRole("dialog");
      await expect(dialog).toBeVisible();
      await dialog.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
      await examine(run.page, `run-${name}-dialog-${look}`);
      await close();
    }
  });
}
