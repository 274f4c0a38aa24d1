/** The application's own processes and the environment they share, for `start`, `dev` and the browser tests alike. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startNode } from "./node-child.mjs";
import { PlainError } from "../plain-error.mjs";
import { freePort, requireFreePort } from "./ports.mjs";
import { duration } from "../progress.mjs";
import { runTs } from "../run-ts.mjs";
import { ROOT, setting } from "../runtime.mjs";

const DEMO_PORT = 4100;
const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/**
 * What every process of the application gets: the person's own variables, then where the database and the secrets are.
 */
export function applicationEnv({ dataFolder, databaseUrl, authSecret, extra = {} }) {
  return {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: "1",
    KIMITSU_DATA: dataFolder,
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: setting("AUTH_SECRET", authSecret),
    ...extra,
  };
}

/** Makes the first administrator if there is none: `{ created, email, password }`. */
export async function bootstrapAdmin(env) {
  const { code, stdout, stderr } = await runTs("lib/cli/main.ts", ["bootstrap", "--json"], env);
  const last = stdout.trim().split("\n").at(-1);
  if (code === 0 && last?.startsWith("{")) return JSON.parse(last);
  throw new PlainError(
    `The first administrator could not be made:\n\n${stderr.trim() || stdout.trim() || `exit code ${code}`}`,
  );
}

/** The demo's tool server belongs to the demo project; a project of one's own names its own servers. */
export const isDemoProject = () => setting("KIMITSU_PROJECT", "kimitsu") === "kimitsu";

/** The usual port if nobody has it, so that the demo's address stays the same from start to start. */
export async function demoPort() {
  const given = setting("KIMITSU_DEMO_PORT");
  if (given) return Number(given);
  return requireFreePort("127.0.0.1", DEMO_PORT).then(
    () => DEMO_PORT,
    () => freePort(),
  );
}

/**
 * The demo's files name the usual port. When the demo's server has another one, the project is read from a copy in
 * which the port is replaced, made again at every start.
 */
export function demoProject(port, dataFolder) {
  const own = path.join(ROOT, "kimitsu");
  if (port === DEMO_PORT) return own;
  const copy = path.join(dataFolder, "demo-project");
  rmSync(copy, { recursive: true, force: true });
  cpSync(own, copy, { recursive: true });
  for (const file of readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".yaml"),
  )) {
    const place = path.join(copy, file);
    writeFileSync(place, readFileSync(place, "utf8").replaceAll(`127.0.0.1:${DEMO_PORT}`, `127.0.0.1:${port}`));
  }
  return copy;
}

/**
 * What the web process must know of the demo: which project, and that its server is allowed although it is on this
 * machine.
 */
export function demoEnv(port, dataFolder) {
  return {
    KIMITSU_PROJECT: demoProject(port, dataFolder),
    KIMITSU_DEMO: setting("KIMITSU_DEMO", "1"),
    KIMITSU_ALLOW_HOSTS: setting("KIMITSU_ALLOW_HOSTS", "127.0.0.1,localhost"),
  };
}

/** The demo represents somebody else's program, so it gets none of our secrets. */
export function startDemo({ port, dataFolder, write }) {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = {
    PATH,
    HOME,
    TMPDIR,
    KIMITSU_DEMO_PORT: String(port),
    KIMITSU_DEMO_STATE: path.join(dataFolder, "demo-shop.json"),
  };
  if (setting("KIMITSU_DEMO_KEY")) env.KIMITSU_DEMO_KEY = setting("KIMITSU_DEMO_KEY");
  const child = startNode({ name: "demo", args: ["scripts/run-ts.mjs", "lib/demo/main.ts"], env, write });
  return untilReady(child, { name: "The demo tool server", probe: () => probe(`http://127.0.0.1:${port}/mcp`) });
}

/** Wait for it to listen first: before that, an answer at the address would come from another program. */
export function startWeb({ env, url, dev = false, write }) {
  let isListening = false;
  const child = startNode({
    name: "web",
    args: ["scripts/web.mjs", ...(dev ? ["--dev"] : [])],
    env,
    write,
    onMessage: () => (isListening = true),
  });
  return untilReady(child, {
    name: "The web process",
    probe: async () => (isListening ? probe(`${url}/readyz`, 200) : "it does not listen yet"),
  });
}

/** Null when there is an answer (of this status, if one is given), otherwise what is wrong. */
async function probe(url, status) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const text = await response.text();
    return status === undefined || response.status === status
      ? null
      : `${url} answers ${response.status}: ${text.slice(0, 500)}`;
  } catch (error) {
    return `${url}: ${error.cause?.message ?? error.message}`;
  }
}

/** Resolves with the child once it is usable; ends it and throws when it is not in time. */
async function untilReady(child, { name, probe: ask }) {
  let ended = null;
  void child.ended.then((outcome) => (ended = outcome));
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (let problem = await ask(); problem !== null; problem = await ask()) {
    if (ended)
      throw new PlainError(`${name} did not come up (${ended.reason}). What it said is above.`, {
        exitCode: ended.code || 1,
      });
    if (Date.now() > deadline) {
      await child.stop();
      throw new PlainError(`${name} was not ready within ${READY_TIMEOUT_MS / 1000} seconds: ${problem}`);
    }
    await delay(POLL_MS);
  }
  return child;
}

/** The last lines of a start. The generated password appears here and nowhere else. */
export function announce({ say, url, admin }) {
  say(`\nKimitsu is ready after ${duration(performance.now())}: ${url}`);
  if (admin.created) {
    say(`\n  Sign in as the first administrator${admin.password ? ". The password is shown this once" : ""}:`);
    say(`    e-mail    ${admin.email}`);
    say(`    password  ${admin.password ?? "the one in KIMITSU_ADMIN_PASSWORD"}`);
  }
  say("\nPress Ctrl-C to stop.\n");
}
