import { readFile } from "node:fs/promises";
import { PAGE_SIZE } from "@/lib/limits";
import { renameUser } from "@/lib/people/rename-user";
import { expect, type Person, test } from "./fixtures";
import { AuditPage } from "./pages/audit-page";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";
import type { EngineDeps } from "@/lib/database/deps";

/** Events that nobody else has: a person who changes their own name again and again. */
async function makeEvents(deps: EngineDeps, { id, name, actor }: Person, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await renameUser(deps, actor, { userId: id, name: `${name} ${n}` });
}

test(
  verifies(
    "audit:filters",
    "filters are in the address, narrow the list, and the address shows the same to someone else",
  ),
  async ({ open, person, deps }) => {
    const [operator, other, busy] = [await person("operator"), await person("admin"), await person("viewer")];
    await makeEvents(deps, busy, 3);
    const audit = new AuditPage(await open(operator));
    await audit.open();
    await audit.narrow({ actor: busy.id, type: "user.renamed" });
    await expect(audit.page).toHaveURL(new RegExp(`[?&]actor=${busy.id}`));
    await expect(audit.events).toHaveCount(3);

    const shared = new AuditPage(await open(other));
    await shared.page.goto(audit.page.url());
    await expect(shared.events).toHaveCount(3);
    await expect(shared.filter.getByLabel("Actor")).toHaveValue(busy.id);
    await shared.narrow({ type: "token" });
    await expect(shared.page.getByText("No event fits")).toBeVisible();
    for (const actor of [busy.name, busy.email]) {
      await shared.narrow({ type: "user.renamed", actor: actor.toUpperCase() });
      await expect(shared.events, actor).toHaveCount(3);
      await expect(shared.filter.getByLabel("Actor")).toHaveValue(actor.toUpperCase());
      await shared.narrow({ actor: "nobody by this name" });
      await expect(shared.page.getByText("No event fits")).toBeVisible();
    }
  },
);

test(
  verifies("audit:event", "the place in the chain is whole beside a long id, on a narrow desk too"),
  async ({ open, person, deps }) => {
    const { runId } = await startAndWait(deps, "T-315");
    const page = await open(await person("operator"), { viewport: { width: 1280, height: 800 } });
    await page.goto(`/audit?chain=${runId}`);
    // Events of one commit have one place: here the start of the run, and its claim when a worker was free.
    const places = page.getByText(/^\s*· 1$/);
    await expect(places).not.toHaveCount(0);
    for (const place of await places.all()) {
      await place.scrollIntoViewIfNeeded();
      await expect(place).toBeInViewport({ ratio: 1 });
    }
  },
);

test(
  verifies(
    "console:times",
    "the trail shows and accepts times in the reader's zone, and its address means the same elsewhere",
  ),
  async ({ open, person, deps }) => {
    const [operator, busy] = [await person("operator"), await person("viewer")];
    await makeEvents(deps, busy, 1);
    await makeEvents({ ...deps, now: () => new Date("2026-02-03T15:30:10Z") }, busy, 1);
    const tokyo = new AuditPage(await open(operator, { timezoneId: "Asia/Tokyo" }));
    await tokyo.open({ actor: busy.id });
    await expect(tokyo.filter.getByLabel("Until (Tokyo)")).toBeVisible();
    await expect(tokyo.events).toHaveCount(2);
    await tokyo.filter.getByLabel("Until (Tokyo)").fill("2026-02-04T00:31");
    await tokyo.filter.getByRole("button", { name: "Filter" }).click();
    await expect(tokyo.events).toHaveCount(1);
    await expect(tokyo.page).toHaveURL(/to=2026-02-03T15%3A31%3A00.000Z/);
    await expect(tokyo.filter.getByLabel("Until (Tokyo)")).toHaveValue("2026-02-04T00:31");
    const time = tokyo.events.locator("summary time").first();
    await expect(time).toHaveText("2026-02-04 00:30:10");
    await expect(time).toHaveAttribute("title", "2026-02-03 15:30:10 UTC");

    const berlin = new AuditPage(await open(operator, { timezoneId: "Europe/Berlin" }));
    await berlin.page.goto(tokyo.page.url());
    await expect(berlin.events).toHaveCount(1);
    await expect(berlin.filter.getByLabel("Until (Berlin)")).toHaveValue("2026-02-03T16:31");
    await expect(berlin.events.locator("summary time").first()).toHaveText("2026-02-03 16:30:10");
  },
);

test(verifies("audit:filters", "a time that cannot be read is named, not guessed"), async ({ open, person }) => {
  const audit = new AuditPage(await open(await person("operator")));
  await audit.open({ from: "yesterday" });
  await expect(audit.page.getByRole("alert").filter({ hasText: "yesterday" })).toContainText("2026-01-31T09:30");
});

test(verifies("audit:pages", "pages join without gap or repeat, newest first"), async ({ open, person, deps }) => {
  const [operator, busy] = [await person("operator"), await person("viewer")];
  await makeEvents(deps, busy, PAGE_SIZE + 3);
  const audit = new AuditPage(await open(operator));
  await audit.open({ actor: busy.id });
  const first = await audit.places();
  await audit.page.getByRole("link", { name: "Next page" }).click();
  await expect(audit.events).toHaveCount(3);
  const places = [...first, ...(await audit.places())].map((place) => Number(place.split(" · ")[1]));
  expect(new Set(places).size).toBe(PAGE_SIZE + 3);
  expect(places).toEqual([...places].sort((a, b) => b - a));
  await audit.page.getByRole("link", { name: "First page" }).click();
  await expect(audit.events).toHaveCount(PAGE_SIZE);
});

test(
  verifies("audit:event", "an opened event shows its body, its hash and its place"),
  async ({ open, person, deps }) => {
    const [operator, busy] = [await person("operator"), await person("viewer")];
    await makeEvents(deps, busy, 1);
    const audit = new AuditPage(await open(operator));
    await audit.open({ actor: busy.id });
    const event = audit.events.first();
    await expect(event.getByText("Hash")).toBeHidden();
    await event.locator("summary").click();
    await expect(event.locator("pre")).toContainText(`${busy.name} 1`);
    await expect(event).toContainText(/Hash\s*(sha256:)?[0-9a-f]{64}/);
  },
);

test(
  verifies("audit:export", "the export is the shown filter as JSON lines, oldest first"),
  async ({ open, person, deps }) => {
    const [operator, busy] = [await person("operator"), await person("viewer")];
    await makeEvents(deps, busy, 3);
    const audit = new AuditPage(await open(operator));
    await audit.open({ actor: busy.id });
    const [download] = await Promise.all([
      audit.page.waitForEvent("download"),
      audit.page.getByRole("link", { name: "Export as JSONL" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.jsonl$/);
    const lines = (await readFile(await download.path(), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; actor: { id: string } });
    expect(lines.map(({ actor }) => actor.id)).toEqual([busy.id, busy.id, busy.id]);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq).sort((a, b) => a - b));
  },
);
