/**
 * The browser tests: the built application on a database of its own, with an administrator whose password the tests
 * know.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { findBrowser } from "./browser.mjs";
import { deployMigrations } from "../migrate.mjs";
import { freePort } from "../process/ports.mjs";
import { bootstrapAdmin, demoEnv, startDemo, startWeb } from "../process/services.mjs";

const DATABASE = "kimitsu_e2e";

export async function runBrowserTests(bench, files) {
  const application = await startApplication(bench);
  const browser = await findBrowser();
  console.log(`  Application at ${application.url}; browser: ${browser.source}`);
  const report = path.join(bench.folder, "playwright.json");
  const { code } = await bench.run("node_modules/@playwright/test/cli.js", ["test", ...files], {
    live: true,
    env: {
      ...application.env,
      BASE_URL: application.url,
      KIMITSU_BROWSER_JSON: JSON.stringify(browser),
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      E2E_PICTURES: files.length > 0 ? "1" : "",
    },
  });
  const { expected = 0, unexpected = 0 } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).stats : {};
  await application.stop();
  return { passed: expected, failed: code === 0 ? unexpected : Math.max(unexpected, 1) };
}

async function startApplication(bench) {
  const databaseUrl = await createDatabase(bench);
  const [port, demoPort] = [await freePort(), await freePort()];
  const admin = { email: "admin@example.test", password: randomBytes(18).toString("base64url") };
  const env = {
    ...bench.env,
    ...demoEnv(demoPort, bench.folder),
    // Tests start the runs that they look at.
    KIMITSU_DEMO: "0",
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    HOST: "localhost",
    KIMITSU_ADMIN_EMAIL: admin.email,
    KIMITSU_ADMIN_PASSWORD: admin.password,
    E2E_ADMIN_EMAIL: admin.email,
    E2E_ADMIN_PASSWORD: admin.password,
  };
  await bootstrapAdmin(env);
  const log = bench.openLog("application.log");
  const write = (line) => log.write(`${line}\n`);
  const running = [];
  const stop = async () => {
    for (const child of running.splice(0).reverse()) await child.stop();
  };
  bench.started("", stop);
  running.push(await startDemo({ port: demoPort, dataFolder: bench.folder, write }));
  const url = `http://localhost:${port}`;
  running.push(await startWeb({ env, url, write }));
  return { env, url, stop };
}

async function createDatabase(bench) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: await bench.databaseUrl("postgres") });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = await bench.databaseUrl(DATABASE);
  await deployMigrations(url);
  return url;
}
