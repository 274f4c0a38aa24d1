import type { Page } from "@playwright/test";
import { LOOKS } from "../examine";
import { expect, test } from "../fixtures";
import { InboxPage } from "../pages/inbox-page";
import { RunPage } from "../pages/run-page";
import { joinPrivacy, ownQueue, startAndWait } from "../pending";
import { verifies } from "../requirements";
import { seedBusyRun } from "../seeded-runs";

interface Shift {
  value: number;
  /** What moved, from where to where. */
  moved: string[];
}

/** Keeps each layout shift of the page with what moved in it. */
async function recordShifts(page: Page): Promise<() => Promise<Shift[]>> {
  await page.addInitScript(() => {
    interface Source {
      node: Node | null;
      previousRect: DOMRectReadOnly;
      currentRect: DOMRectReadOnly;
    }
    const place = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(" ");
    const describe = ({ node, previousRect, currentRect }: Source) =>
      `${node?.nodeName ?? "?"} "${node?.textContent?.slice(0, 60) ?? ""}": ${place(previousRect)} -> ${place(currentRect)}`;
    const shifts: Shift[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: Source[] })[])
        shifts.push({ value: entry.value, moved: entry.sources.map(describe) });
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
}

/** What the measure's authors call good is 0.1; a line that wraps in the queue is a tenth of that. */
function expectStill(shifts: Shift[]): void {
  expect(
    shifts.reduce((sum, { value }) => sum + value, 0),
    JSON.stringify(shifts, null, 1),
  ).toBeLessThan(0.02);
}

// Calls that others add and remove move the queue, as they should; so nobody else is active.
test(
  verifies("inbox:still", "nothing jumps while the inbox loads, and while someone moves to the card and away from it"),
  async ({ open, person, deps }) => {
    const [ana, ben] = [await person("reviewer"), await person("reviewer")];
    await joinPrivacy(deps, [ana, ben]);
    const call = await startAndWait(deps, "T-315");
    const { approvalId } = call;
    const queue = await ownQueue(deps, [call, await startAndWait(deps, "T-315")]);
    const page = await open(ana, { viewport: { width: 1440, height: 900 } });
    const readShifts = await recordShifts(page);
    const here = new InboxPage(page);
    await here.open(approvalId, `?${queue}&mine=1`);
    await here.untilAlive();
    const there = new InboxPage(await open(ben));
    await there.open(approvalId);
    const looking = here.card.getByText(`${ben.name} is looking`).filter({ visible: true });
    await expect(looking).toBeVisible();
    await there.page.close();
    await expect(looking).toHaveCount(0);
    expectStill(await readShifts());
  },
);

for (const { look, options } of LOOKS) {
  test(
    verifies("run:still", `nothing jumps while the lanes of a long run are drawn after the rest of its page, ${look}`),
    async ({ open, person, deps }) => {
      const operator = await person("operator");
      const runId = await seedBusyRun(deps, operator, { turns: 600, events: 2000 });
      const page = await open(operator, options);
      const readShifts = await recordShifts(page);
      await new RunPage(page).open(runId);
      await expect(page.getByText(/1,200 turns, calls and questions are drawn as \d+ blocks/)).toBeVisible();
      expectStill(await readShifts());
    },
  );
}
