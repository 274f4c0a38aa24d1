import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What of WCAG hangs on colours; between light and dark nothing else differs. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** On a desk a page is examined in light, and then turned dark where it stands. */
export const LOOKS = [
  { look: "desk", options: { viewport: { width: 1440, height: 900 }, colorScheme: "light" } },
  { look: "phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
] as const;

interface Wish {
  /** False for a picture of the window alone. */
  fullPage?: boolean;
}

/** Lets axe look for what breaks WCAG 2.2 AA, and sees that nothing sticks out at the side. Leaves pictures among the results: of the window, and of whole pages where specs were chosen, since those take long. */
export async function examine(page: Page, name: string, { fullPage = true }: Wish = {}): Promise<void> {
  const isPhone = await page.evaluate(() => navigator.maxTouchPoints > 0);
  const picture = (look: string) => page.screenshot({ path: path.join("test-results/screens", `${name}${look}.png`), fullPage: fullPage && Boolean(process.env.E2E_PICTURES) });
  // A message from elsewhere that is half transparent on its way in would be judged by colours that nobody reads; so nothing moves.
  await page.emulateMedia({ reducedMotion: "reduce" });
  const { violations } = await axeOn(page).withTags(WCAG).analyze();
  expectNone(violations, name);
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${name}: pixels beyond the side`).toBeLessThanOrEqual(0);
  await picture("");
  if (isPhone) return page.emulateMedia({ reducedMotion: null });
  await page.emulateMedia({ colorScheme: "dark" });
  expectNone((await axeOn(page).withRules(OF_COLOURS).analyze()).violations, `${name}, dark`);
  await picture("-dark");
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
}

/** No page has frames; to put the findings of several together in a page of their own would take twice the time. */
function axeOn(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode();
}

function expectNone(violations: { id: string; nodes: { target: unknown[] }[] }[], name: string): void {
  expect.soft(violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`), name).toEqual([]);
}
