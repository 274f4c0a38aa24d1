import { defineConfig } from "@playwright/test";

/** Given by scripts/test.mjs, which starts the application and finds the browser. */
interface Browser {
  executablePath?: string;
  args?: string[];
  env?: Record<string, string>;
}

const browser = JSON.parse(process.env.KIMITSU_BROWSER_JSON ?? "{}") as Browser;
const own = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // One application and one database serve all tests, and a run that is awaited must not wait for those of another file.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    baseURL: process.env.BASE_URL,
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: browser.env ? { ...own, ...browser.env } : undefined,
    },
  },
});
