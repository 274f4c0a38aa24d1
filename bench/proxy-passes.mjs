/**
 * `npm run bench -- proxy`: the same tool called directly, through Kimitsu with its full record, and through mcp-hub,
 * which keeps none, by the same client in turns; then calls that wait for people, held at once.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { PlainError } from "../scripts/plain-error.mjs";
import { freePort } from "../scripts/process/ports.mjs";
import { startNode } from "../scripts/process/node-child.mjs";
import { applicationEnv } from "../scripts/process/services.mjs";
import { applicationNode, ROOT } from "../scripts/runtime.mjs";
import { build } from "../scripts/web/build.mjs";

const HUB = path.join(ROOT, "bench/node_modules/mcp-hub/dist/cli.js");
const OPEN_WITHIN_MS = 60_000;
const OPEN_LOOK_MS = 100;

const profile = (name, allowed) => ({
  name,
  servers: [{ path: "servers/upstream.server.yaml", access: { allowlist: [allowed] } }],
  hold: { plain: "10m" },
});

function writeProject(folder, upstreamUrl) {
  const files = {
    "servers/upstream.server.yaml": { name: "upstream", url: upstreamUrl },
    "profiles/free.profile.yaml": profile("free", "act"),
    "profiles/asked.profile.yaml": profile("asked", { name: "act", require_approval: { timeout: "7d" } }),
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), JSON.stringify(content));
  }
}

async function untilAnswers(url, isOpen) {
  for (const deadline = Date.now() + OPEN_WITHIN_MS; Date.now() < deadline; await delay(OPEN_LOOK_MS)) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer && isOpen(answer.status)) return;
  }
  throw new PlainError(`Nothing answered at ${url} within ${OPEN_WITHIN_MS / 1000} seconds.`);
}

const start = (name, args, env) => startNode({ name, args, env, write: () => undefined });

/** `{ rounds, held }`, as bench/proxy.ts prints them. */
export async function measureProxy({ databases, dataFolder, scale }) {
  await build({ logFolder: dataFolder });
  const [upstreamPort, webPort, hubPort] = [await freePort(), await freePort(), await freePort()];
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}/mcp`;
  const project = path.join(dataFolder, "proxy-project");
  writeProject(project, upstreamUrl);
  const hubConfig = path.join(dataFolder, "hub.json");
  writeFileSync(hubConfig, JSON.stringify({ mcpServers: { upstream: { url: upstreamUrl } } }));
  const { DATABASE_URL: databaseUrl, AUTH_SECRET: authSecret } = await databases.create("proxy", { migrated: true });
  const webUrl = `http://127.0.0.1:${webPort}`;
  const extra = {
    PORT: String(webPort),
    HOST: "127.0.0.1",
    KIMITSU_PROJECT: project,
    KIMITSU_ALLOW_HOSTS: "127.0.0.1",
    KIMITSU_DEMO: "0",
    LOG_LEVEL: "silent",
    NODE_ENV: "production",
  };
  const env = applicationEnv({ dataFolder, databaseUrl, authSecret, extra });
  const processes = [
    start("upstream", ["scripts/run-ts.mjs", "bench/proxy-upstream.ts"], { ...env, TOOL_PORT: String(upstreamPort) }),
  ];
  try {
    await untilAnswers(upstreamUrl, (status) => status >= 400);
    processes.push(start("web", ["scripts/web.mjs"], env));
    processes.push(start("hub", [HUB, "--port", String(hubPort), "--config", hubConfig], { PATH: process.env.PATH }));
    await untilAnswers(`${webUrl}/readyz`, (status) => status === 200);
    await untilAnswers(`http://127.0.0.1:${hubPort}/api/health`, (status) => status === 200);
    const targets = { direct: upstreamUrl, kimitsu: `${webUrl}/mcp`, hub: `http://127.0.0.1:${hubPort}/mcp` };
    return await runClient({
      ...env,
      WEB_URL: webUrl,
      BENCH_TARGETS: JSON.stringify(targets),
      BENCH_SCALE: String(scale),
    });
  } finally {
    await Promise.all(processes.map((child) => child.stop()));
  }
}

async function runClient(env) {
  const child = spawn(applicationNode(), ["--no-deprecation", "scripts/run-ts.mjs", "bench/proxy.ts"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new PlainError("The calls through the proxy could not be measured; the lines above say why.");
  return JSON.parse(output.trim().split("\n").at(-1));
}
