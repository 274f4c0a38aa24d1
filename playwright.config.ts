import { defineConfig } from "@playwright/test";

/** Given by scripts/test.mjs, which starts the application and finds the browser. */
interface Browser {
  executablePath?: string;
  args?: string[];
  env?: Record<string, string>;
}

/** Specs were named, and not all are run. */
const isChosen = Boolean(process.env.E2E_PICTURES);
const browser = JSON.parse(process.env.KIMITSU_BROWSER_JSON ?? "{}") as Browser;
const own = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // One application and one database serve all tests, so each test makes its own people and reads only what is theirs.
  workers: 2,
  fullyParallel: true,
  // Ends what hangs, and judges nothing.
  timeout: 600_000,
  // As the one above.
  expect: { timeout: 120_000 },
  projects: [
    // What looks at the whole system, such as "the last admin", runs before anybody else changes it.
    { name: "alone", testMatch: "alone/*.spec.ts", workers: 1 },
    {
      name: "together",
      testMatch: "*.spec.ts",
      testIgnore: ["alone/*", "after/*", ...(process.env.PICTURES ? [] : ["pictures.spec.ts"])],
      dependencies: ["alone"],
    },
    // What stops or changes something for everyone else comes when they are done.
    { name: "after", testMatch: "after/*.spec.ts", workers: 1, dependencies: ["together"] },
  ],
  forbidOnly: Boolean(process.env.CI),
  // A test that needs a second try is a defect, of the test or of what it tests.
  retries: 0,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    baseURL: process.env.BASE_URL,
    // Each step that is recorded costs time; a test that failed in a whole run is run again by its file, and leaves a
    // trace then.
    trace: isChosen ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: browser.env ? { ...own, ...browser.env } : undefined,
    },
  },
});
