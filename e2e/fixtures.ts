import { randomBytes } from "node:crypto";
import { type Browser, type BrowserContextOptions, expect, type Page, test as base } from "@playwright/test";
import type { Role } from "@/lib/people/rules/roles";
import type { EngineDeps } from "@/lib/database/deps";
import { connect } from "@/lib/database/client";
import { buildUser } from "@/lib/testing/builders";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { sessionCookie } from "@/lib/testing/requests";
import { watch } from "./watch";

const CONNECTIONS = 2;

export interface Person {
  id: string;
  email: string;
  name: string;
  role: Role;
  actor: { kind: "user"; id: string; name: string };
}

interface TestFixtures {
  /** A person of this test's own, with a name nobody else has; everybody's password is TEST_PASSWORD. */
  person: (role: Role) => Promise<Person>;
  /** A new browser window, signed in as this person or as nobody. Any error on a page in it fails the test. */
  open: (person: Person | null, options?: BrowserContextOptions) => Promise<Page>;
}

interface WorkerFixtures {
  /** The engine on the database of the application under test. */
  deps: EngineDeps;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  // The Chromium from npm sometimes crashes as it starts. Only the start is tried again; no test ever is.
  browser: [
    async ({ playwright, launchOptions }, use) => {
      const launch = () => playwright.chromium.launch(launchOptions);
      const browser = await launch().catch(launch);
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  deps: [
    async ({}, use) => {
      const db = catchUpByItself(connect(required("DATABASE_URL"), CONNECTIONS));
      await use({ db, now: () => new Date() });
      await db.$disconnect();
    },
    { scope: "worker" },
  ],
  person: async ({ deps }, use) => {
    await use(async (role) => buildUser(deps, role, { name: uniqueName(role) }));
  },
  open: async ({ browser }, use) => {
    const opened: { complaints: string[]; close: () => Promise<void> }[] = [];
    await use(async (person, options) => {
      const window = await openWindow(browser, person, options);
      opened.push(window);
      return window.page;
    });
    for (const { close } of opened) await close();
    expect(
      opened.flatMap(({ complaints }) => complaints),
      "what the pages of this test complained about",
    ).toEqual([]);
  },
});

export { expect };

async function openWindow(browser: Browser, person: Person | null, options?: BrowserContextOptions) {
  const context = await browser.newContext({ baseURL: required("BASE_URL"), ...options });
  if (person) await context.addCookies([await cookieOf(person)]);
  const complaints = await watch(context);
  const page = await context.newPage();
  if (options?.javaScriptEnabled !== false) answerOnlyAlive(page);
  return { page, complaints, close: () => context.close() };
}

/**
 * A press before the page's scripts listen is lost. A person would press again; a test would sometimes wait for ever.
 */
function answerOnlyAlive(page: Page): void {
  const untilAlive = () =>
    page.waitForFunction(
      () =>
        document.querySelector('script[src*="/_next/"]') === null ||
        Object.keys(document).some((key) => key.startsWith("_reactListening")),
    );
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...given) => {
    const answer = await goto(...given);
    await untilAlive();
    return answer;
  };
  page.reload = async (...given) => {
    const answer = await reload(...given);
    await untilAlive();
    return answer;
  };
}

/** Another person at the same browser, in the same tab. */
export async function signInHere(page: Page, person: Person): Promise<void> {
  await page.context().addCookies([await cookieOf(person)]);
}

/** Signing in by form hashes a password, slow on purpose; only the tests about signing in need that. */
async function cookieOf(person: Person) {
  const [name = "", value = ""] = (await sessionCookie(person)).split("=", 2);
  return { name, value, domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" as const };
}

function uniqueName(role: Role): string {
  return `${role[0]?.toUpperCase()}${role.slice(1)} ${randomBytes(4).toString("hex")}`;
}

/** Passed by scripts/test/test-e2e.mjs. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run the browser tests with: npm test -- e2e`);
  return value;
}
