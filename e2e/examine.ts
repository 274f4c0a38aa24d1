import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

export const LOOKS = [
  { look: "light", options: { viewport: { width: 1440, height: 900 }, colorScheme: "light" } },
  { look: "dark", options: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" } },
  { look: "phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
] as const;

/** Leaves a picture among the results, lets axe look for what breaks WCAG 2.2 AA, and sees that nothing sticks out at the side. */
export async function examine(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join("test-results/screens", `${name}.png`), fullPage: true });
  const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
  expect.soft(violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`), name).toEqual([]);
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${name}: pixels beyond the side`).toBeLessThanOrEqual(0);
}
