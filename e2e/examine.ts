import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, Result, RunOptions } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What it puts into the page. */
type AxeWindow = Window & { axe: { run(options: RunOptions): Promise<AxeResults> } };

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The WCAG rules that depend on colours; nothing else differs between light and dark. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** On a desktop a page is examined in light, and then switched to dark in place. */
export const LOOKS = [
  { look: "desk", options: { viewport: { width: 1440, height: 900 }, colorScheme: "light" } },
  { look: "phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
] as const;

interface ExamineOptions {
  /** False for a picture of the window alone. */
  fullPage?: boolean;
}

/**
 * Lets axe look for what breaks WCAG 2.2 AA, and checks that nothing overflows at the side. Leaves pictures among the
 * results: of the window, and of whole pages where specs were chosen, since those take long.
 */
export async function examine(page: Page, name: string, { fullPage = true }: ExamineOptions = {}): Promise<void> {
  const isPhone = await page.evaluate(() => navigator.maxTouchPoints > 0);
  const picture = (look: string) =>
    page.screenshot({
      path: path.join("test-results/screens", `${name}${look}.png`),
      fullPage: fullPage && Boolean(process.env.E2E_PICTURES),
    });
  // A half-transparent animated message would be judged by colours that nobody reads, so animations are off.
  await page.emulateMedia({ reducedMotion: "reduce" });
  expectNone(await findViolations(page, { type: "tag", values: WCAG }), name);
  expect
    .soft(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
      `${name}: pixels beyond the side`,
    )
    .toBeLessThanOrEqual(0);
  await picture("");
  if (isPhone) return page.emulateMedia({ reducedMotion: null });
  await page.emulateMedia({ colorScheme: "dark" });
  expectNone(await findViolations(page, { type: "rule", values: OF_COLOURS }), `${name}, dark`);
  await picture("-dark");
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
}

/**
 * Axe is large, so each document gets it once; and it lists elements only of broken rules, since listing all passing
 * ones takes as long as checking them.
 */
async function findViolations(page: Page, runOnly: RunOptions["runOnly"]): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (options) => (await (window as unknown as AxeWindow).axe.run(options)).violations, {
    runOnly,
    resultTypes: ["violations"],
  } satisfies RunOptions);
}

function expectNone(violations: Result[], name: string): void {
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
      name,
    )
    .toEqual([]);
}
