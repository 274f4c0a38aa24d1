#!/usr/bin/env node
/**
 * `npm run dev`: as `npm start`, but with Next's development server, and a new web process when code that runs at its
 * start changes.
 */
import { existsSync, watch } from "node:fs";
import path from "node:path";
import { install } from "./install.mjs";
import { createLifecycle } from "./process/lifecycle.mjs";
import { claimFolder, prepareApplication, prepareDatabase } from "./prepare.mjs";
import { printLine, step } from "./progress.mjs";
import { requireSupportedNode, ROOT, webAddress } from "./runtime.mjs";
import { announce, startWeb } from "./process/services.mjs";
import { supervise } from "./process/supervise.mjs";

/** Next reloads pages by itself, but the worker was started from here and would continue with its old code. */
const WATCHED_ROOMS = [
  "runs",
  "approvals",
  "policy",
  "tools",
  "models",
  "people",
  "audit",
  "projects",
  "config",
  "notices",
  "database",
  "text",
];
const WATCHED_FOLDERS = WATCHED_ROOMS.map((name) => path.join(ROOT, "lib", name));
const WATCHED_FILE = /^instrumentation[\w-]*\.ts$/;
const SOURCE = /\.tsx?$/;
/** Editors write a file in several steps, and a change of branch touches many. */
const SETTLE_MS = 300;

const say = (line) => printLine(line);
const lifecycle = createLifecycle({ say });

async function dev() {
  requireSupportedNode();
  webAddress();
  await install({ signal: lifecycle.signal });
  const { dataFolder, secrets, url } = await claimFolder(lifecycle);
  const databaseUrl = await prepareDatabase(lifecycle, { dataFolder, secrets, say });
  const { env, admin } = await prepareApplication(lifecycle, { dataFolder, secrets, databaseUrl, say });
  const web = await step("Starting the development server", () =>
    supervise({ name: "web", say, start: () => startWeb({ env, url, dev: true }) }),
  );
  lifecycle.started("web", web.stop);
  announce({ say, url, admin });
  watchSources(web);
}

function watchSources(web) {
  let timer;
  const changed = (name) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      say(`${name} changed; starting the web process again`);
      void web.restart();
    }, SETTLE_MS);
  };
  for (const folder of WATCHED_FOLDERS) {
    if (!existsSync(folder)) continue;
    watch(folder, { recursive: true }, (_event, name) => {
      if (name && SOURCE.test(name) && !name.includes(".test.") && !name.startsWith("generated"))
        changed(path.relative(ROOT, path.join(folder, name)));
    });
  }
  watch(ROOT, (_event, name) => {
    if (name && WATCHED_FILE.test(name)) changed(name);
  });
}

dev().catch((error) => lifecycle.fail(error));
