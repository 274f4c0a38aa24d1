/**
 * The page of a run of 50 events beside that of one of 10,000, in turns: how long the server takes, and when a browser
 * shows the first of it.
 */
import { chromium } from "@playwright/test";
import { seedBusyRun } from "@/e2e/seeded-runs";
import { processVariables } from "@/lib/env";
import { connect } from "@/lib/database/client";
import { buildUser } from "@/lib/testing/builders";
import { sessionCookie } from "@/lib/testing/requests";

const ROUNDS = 25;
const PAINT_ROUNDS = 15;
const WARM_UP = 8;
/** Each turn of a run leaves four events. */
const SIZES = [
  { turns: 11, events: 50 },
  { turns: 2499, events: 10_000 },
] as const;
const VIEWS = [
  ["timeline", ""],
  ["conversation", "/steps"],
  ["events", "/events"],
] as const;

const { WEB_URL: webUrl = "", DATABASE_URL: databaseUrl = "", BROWSER_JSON: browserJson = "{}" } = processVariables();
const quartile = (times: number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 4)] ?? 0;

console.error("Making runs of 50 and of 10,000 events …");
const db = connect(databaseUrl, 2);
const deps = { db, now: () => new Date() };
const person = await buildUser(deps, "operator", { name: "Ana" });
const runIds: string[] = [];
for (const size of SIZES) runIds.push(await seedBusyRun(deps, person, size));
await db.$executeRaw`ANALYZE`;
const cookie = await sessionCookie(person);

async function fetchPage(path: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(webUrl + path, { headers: { cookie } });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - startedAt;
}

/** Takes each path in turn, so that other load on the machine affects both. */
async function measure(
  page: string,
  what: string,
  paths: readonly string[],
  rounds: number,
  take: (path: string) => Promise<number>,
) {
  const times = paths.map((): number[] => []);
  for (let n = -WARM_UP; n < rounds; n++)
    for (const [index, path] of paths.entries()) {
      const ms = await take(path);
      if (n >= 0) times[index]?.push(ms);
    }
  return { page, what, smallMs: quartile(times[0] ?? []), largeMs: quartile(times[1] ?? []), wholeReads: [] };
}

const results = [];
for (const [what, tail] of VIEWS)
  results.push(
    await measure(
      "A run of 10,000 events",
      `${what}, server`,
      runIds.map((id) => `/history/${id}${tail}`),
      ROUNDS,
      fetchPage,
    ),
  );

const browser = await chromium.launch({ ...JSON.parse(browserJson) });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const [name = "", value = ""] = cookie.split("=", 2);
await context.addCookies([{ name, value, domain: "localhost", path: "/" }]);
const tab = await context.newPage();
results.push(
  await measure(
    "A run of 10,000 events",
    "first content in a browser",
    runIds.map((id) => `/history/${id}`),
    PAINT_ROUNDS,
    async (path) => {
      await tab.goto(webUrl + path);
      // The page may be loaded before anything of it is on the screen.
      return tab.evaluate(
        () =>
          new Promise<number>((resolve) => {
            new PerformanceObserver((list) => {
              for (const { name, startTime } of list.getEntries())
                if (name === "first-contentful-paint") resolve(startTime);
            }).observe({ type: "paint", buffered: true });
          }),
      );
    },
  ),
);
await browser.close();
console.log(JSON.stringify(results));
await db.$disconnect();
process.exit(0);
