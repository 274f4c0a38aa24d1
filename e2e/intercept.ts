import { expect, type Page, type Route } from "@playwright/test";

/** Answered by the server with 200, and with 204 once the page's requests are intercepted. */
const PROBE = "/healthz?intercepted";

/**
 * `page.route` for a page that is open already. The browser says that it intercepts before the page itself knows of it:
 * an immediate request may still bypass it, so this waits for one that does not.
 */
export async function intercept(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => Promise<void>,
): Promise<void> {
  await page.route(address, answer);
  const isProbe = (url: URL) => `${url.pathname}${url.search}` === PROBE;
  await page.route(isProbe, (route) => route.fulfill({ status: 204 }));
  await expect
    .poll(() =>
      page.evaluate(async (probe) => {
        const answered = await fetch(probe).catch(() => null);
        return answered?.status;
      }, PROBE),
    )
    .toBe(204);
  await page.unroute(isProbe);
}

/** Holds what the page sends to this address until released. */
export async function holdPosts(page: Page, address: RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await intercept(page, address, async (route) => {
    if (route.request().method() === "POST") await released.promise;
    await route.continue();
  });
  return released.resolve;
}
