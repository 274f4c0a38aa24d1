/**
 * Where the project is, and which Node runs what. The scripts themselves run on any Node from 20.19 on; everything that
 * loads the application runs on Node 24, which npm installs as a package, so that no machine needs a particular Node.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PlainError } from "./plain-error.mjs";

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const PINNED_MAJOR = 24;

export function requireSupportedNode(version = process.versions.node) {
  const [major, minor] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new PlainError(
    `Kimitsu needs Node.js 20.19 or newer to start; this is ${version}.\n` +
      "Install a current release from https://nodejs.org and run the command again.",
  );
}

const isNewEnough = () => Number(process.versions.node.split(".")[0]) >= PINNED_MAJOR;

/** The Node that runs the application: this one if it is new enough, otherwise the one among the packages. */
export function applicationNode() {
  if (isNewEnough()) return process.execPath;
  const binary = path.join(ROOT, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(binary)) return binary;
  throw new PlainError(
    `Node ${PINNED_MAJOR} is missing: ${path.relative(ROOT, binary)} does not exist.\n` +
      "It comes with the packages; npm may have been told to skip install scripts. Run: npm ci --ignore-scripts=false",
  );
}

/**
 * Runs this same script under the application's Node when the current one is too old, and ends with its exit code.
 * Returns at once when the current Node is new enough.
 */
export async function continueOnApplicationNode() {
  if (isNewEnough()) return;
  const child = spawn(applicationNode(), process.argv.slice(1), { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes; a signal sent to this one alone has to be passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const { code, signal } = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
  });
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
}

/** An environment variable, with the empty string counted as absent. */
export function setting(name, fallback) {
  const value = process.env[name];
  return value === undefined || value === "" ? fallback : value;
}

/** PORT and HOST as the person gave them. Refuses a port that cannot be one before anything slow has begun. */
export function webAddress() {
  const given = setting("PORT", "3000");
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new PlainError(
      `PORT is "${given}", which is not a port. Give a whole number from 1 to 65535, such as PORT=3000.`,
    );
  const host = setting("HOST", "localhost");
  const shown = ["0.0.0.0", "::"].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { host, port, url: `http://${shown}:${port}` };
}
