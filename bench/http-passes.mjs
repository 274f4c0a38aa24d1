/**
 * The passes of `npm run bench -- http`: the built application, its route handlers without Next, and the engine alone,
 * in turns. With BENCH_BEFORE, the folder of another checkout that has this bench too, both are measured in turns.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { PlainError } from "../scripts/plain-error.mjs";
import { applicationNode, ROOT } from "../scripts/runtime.mjs";
import { freePort } from "../scripts/process/ports.mjs";
import { loadProject } from "./load-project.mjs";

const PASSES = 6;
const CONCURRENCY = 16;
export const LAYERS = ["whole", "handlers", "engine"];
export const KINDS = ["invoke", "decide"];
/** No worker advances the runs that are started here, so that they stay due. */
const QUEUE_MAX = "1000000";
const OPEN_WITHIN_MS = 60_000;
const OPEN_LOOK_MS = 100;

/** Each checkout with its own scripts, build, tables and web process. */
async function openCheckout(folder, { name, dataFolder, project, toolPort, databases }) {
  const own = (file) => import(pathToFileURL(path.join(folder, file)).href);
  const [{ build }, { deployMigrations }, { applicationEnv }, { startNode }] = await Promise.all(
    ["web/build", "migrate", "process/services", "process/node-child"].map((script) => own(`scripts/${script}.mjs`)),
  );
  await build({ logFolder: dataFolder });
  const port = await freePort();
  const webUrl = `http://127.0.0.1:${port}`;
  const envs = {};
  for (const layer of LAYERS) {
    const { DATABASE_URL: databaseUrl, AUTH_SECRET: authSecret } = await databases.create(`http_${name}_${layer}`);
    await deployMigrations(databaseUrl);
    const extra = {
      PORT: String(port),
      HOST: "127.0.0.1",
      WEB_URL: webUrl,
      TOOL_PORT: String(toolPort),
      KIMITSU_PROJECT: project,
      KIMITSU_ALLOW_HOSTS: "127.0.0.1",
      KIMITSU_DEMO: "0",
      KIMITSU_WORKERS: "0",
      KIMITSU_QUEUE_MAX: QUEUE_MAX,
      LOG_LEVEL: "silent",
      NODE_ENV: "production",
    };
    envs[layer] = applicationEnv({ dataFolder, databaseUrl, authSecret, extra });
  }
  const web = startNode({ name: "web", args: ["scripts/web.mjs"], env: envs.whole, write: () => undefined });
  await untilOpen(webUrl).catch(async (error) => {
    await web.stop();
    throw error;
  });
  return { folder, envs, stop: () => web.stop(), passes: Object.fromEntries(LAYERS.map((layer) => [layer, []])) };
}

/** The same for all, so that a run that one process has parked is found by another under the same project version. */
function writeProject(folder, toolPort) {
  for (const [file, text] of Object.entries(loadProject(`http://127.0.0.1:${toolPort}/mcp`))) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

/** It is never ready without a worker; it answers with a request for a token as soon as it could start a run. */
async function untilOpen(webUrl) {
  for (const deadline = Date.now() + OPEN_WITHIN_MS; Date.now() < deadline; await delay(OPEN_LOOK_MS)) {
    const answer = await fetch(`${webUrl}/invoke/asked`, { method: "POST" }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 401) return;
  }
  throw new PlainError(`The web process did not answer at ${webUrl} within ${OPEN_WITHIN_MS / 1000} seconds.`);
}

async function runPass({ folder, envs }, layer, task) {
  const child = spawn(applicationNode(), ["--no-deprecation", "scripts/run-ts.mjs", "bench/http.ts"], {
    cwd: folder,
    env: { ...envs[layer], BENCH_TASK: JSON.stringify({ ...task, layer }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new PlainError(`The layer ${layer} could not be measured; the lines above say why.`);
  return JSON.parse(output.trim().split("\n").at(-1));
}

/** All passes joined as if they had been one. */
function putTogether(passes) {
  return Object.fromEntries(
    KINDS.map((kind) => {
      const sum = (name) => passes.reduce((total, pass) => total + pass[kind][name], 0);
      const count = sum("count");
      return [kind, { perSecond: count / sum("seconds"), usedMs: sum("usedMs") / count }];
    }),
  );
}

/** `{ now, before }`, each `{ layer: { kind: { perSecond, usedMs } } }`; `before` is null without another checkout. */
export async function measureHttp({ databases, dataFolder, scale }) {
  const task = { concurrency: CONCURRENCY, warmUp: Math.ceil(500 * scale), count: Math.ceil(600 * scale) };
  const folders = { now: ROOT, ...(process.env.BENCH_BEFORE && { before: path.resolve(process.env.BENCH_BEFORE) }) };
  const [project, toolPort] = [path.join(dataFolder, "http-project"), await freePort()];
  writeProject(project, toolPort);
  const checkouts = {};
  try {
    for (const [name, folder] of Object.entries(folders))
      checkouts[name] = await openCheckout(folder, { name, dataFolder, project, toolPort, databases });
    const turns = LAYERS.flatMap((layer) => Object.keys(checkouts).map((name) => ({ name, layer })));
    for (let pass = 1; pass <= PASSES; pass++) {
      console.log(`Pass ${pass} of ${PASSES}`);
      // Forwards and backwards: what is late in one pass is early in the next.
      for (const { name, layer } of pass % 2 === 1 ? turns : turns.toReversed())
        checkouts[name].passes[layer].push(await runPass(checkouts[name], layer, task));
    }
  } finally {
    for (const checkout of Object.values(checkouts)) await checkout.stop();
  }
  const figures = ({ passes }) => Object.fromEntries(LAYERS.map((layer) => [layer, putTogether(passes[layer])]));
  return { now: figures(checkouts.now), before: checkouts.before ? figures(checkouts.before) : null };
}
