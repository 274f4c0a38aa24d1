#!/usr/bin/env node
/** `npm start`: everything Kimitsu needs, from a bare checkout to an address in the browser. */
import { build } from "./web/build.mjs";
import { install } from "./install.mjs";
import { createLifecycle } from "./process/lifecycle.mjs";
import { claimFolder, prepareApplication, prepareDatabase } from "./prepare.mjs";
import { printLine, step } from "./progress.mjs";
import { requireSupportedNode, webAddress } from "./runtime.mjs";
import { announce, startWeb } from "./process/services.mjs";
import { supervise } from "./process/supervise.mjs";

const say = (line) => printLine(line);
const lifecycle = createLifecycle({ say });

async function start() {
  requireSupportedNode();
  webAddress();
  say("Kimitsu is starting.");
  await install({ signal: lifecycle.signal });
  const { dataFolder, secrets, url } = await claimFolder(lifecycle);
  const databaseUrl = await prepareDatabase(lifecycle, { dataFolder, secrets, say });
  await build({ logFolder: dataFolder, signal: lifecycle.signal });
  const { env, admin } = await prepareApplication(lifecycle, { dataFolder, secrets, databaseUrl, say });
  await serve({ env, url });
  announce({ say, url, admin });
}

async function serve({ env, url }) {
  let pid;
  const web = await step("Starting the web process", () =>
    supervise({
      name: "web",
      say,
      start: async () => {
        const child = await startWeb({ env, url });
        pid = child.pid;
        return child;
      },
    }),
  );
  lifecycle.started("web", web.stop, () => process.kill(pid, "SIGKILL"));
}

start().catch((error) => lifecycle.fail(error));
