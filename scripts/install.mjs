/** Updates node_modules to the lock file, and does nothing when they already agree. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { diskFullError, isDiskFull } from "./disk.mjs";
import { PlainError } from "./plain-error.mjs";
import { step } from "./progress.mjs";
import { ROOT } from "./runtime.mjs";

const STAMP = path.join(ROOT, "node_modules/.kimitsu-installed");
const OUTPUT_TAIL_LINES = 15;

/** Packages hold binaries, so the platform counts: a folder copied from another system must be installed again. */
export function installStamp() {
  return `${hashOf("package-lock.json")} ${process.platform} ${process.arch}`;
}

/** The database client is generated from the schema, which changes more often than the packages do. */
const clientStamp = () => hashOf("prisma/schema.prisma");
const hashOf = (file) =>
  createHash("sha256")
    .update(readFileSync(path.join(ROOT, file)))
    .digest("hex");

export function isInstalled() {
  return readStamp()[0] === installStamp();
}

const readStamp = () => (existsSync(STAMP) ? readFileSync(STAMP, "utf8").split("\n") : []);

/** Called at the end of npm's own install as well, so that `npm ci` by hand is not repeated by the next start. */
export function markInstalled() {
  writeFileSync(STAMP, `${installStamp()}\n${clientStamp()}\n`);
}

export async function install({ signal } = {}) {
  if (isInstalled()) return generateIfChanged();
  await step("Installing packages (npm ci)", async () => {
    const { code, output } = await runNpm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], signal);
    if (code !== 0) throw npmFailure(output);
    markInstalled();
  });
}

async function generateIfChanged() {
  if (readStamp()[1] === clientStamp() && existsSync(path.join(ROOT, "lib/database/generated/client.ts"))) return;
  await step("Generating the database client", async () => {
    const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, "scripts/postinstall.mjs")], {
      cwd: ROOT,
      encoding: "utf8",
    });
    if (status !== 0) throw new PlainError(stderr.trim());
  });
}

function runNpm(args, signal) {
  // npm names its own program in this variable when it runs us; a bare `node scripts/start.mjs` has to find npm on the
  // path.
  const npmProgram = process.env.npm_execpath;
  const viaNode = npmProgram?.endsWith(".js");
  const command = viaNode ? process.execPath : process.platform === "win32" ? "npm.cmd" : "npm";
  const child = spawn(command, viaNode ? [npmProgram, ...args] : args, {
    cwd: ROOT,
    // NODE_ENV=production would leave out the packages that the build needs.
    env: { ...process.env, NODE_ENV: "" },
    stdio: ["ignore", "pipe", "pipe"],
    shell: command.endsWith(".cmd"),
    signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(
        cause.name === "AbortError"
          ? cause
          : new PlainError(`npm could not be started (${cause.message}). Is it installed and on the PATH?`, { cause }),
      ),
    );
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Explains the two common failures; otherwise shows the end of npm's own output. */
export function npmFailure(output) {
  if (isDiskFull(output)) return diskFullError(path.join(ROOT, "node_modules"));
  const tail = output.trim().split("\n").slice(-OUTPUT_TAIL_LINES).join("\n");
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i.test(output))
    return new PlainError(
      "The packages could not be fetched: the npm registry cannot be reached.\n" +
        "The first start needs the network (later ones do not). Check the connection, and `npm config get registry` and `npm config get proxy`.\n\n" +
        tail,
    );
  if (/EACCES|EPERM/.test(output))
    return new PlainError(
      `npm may not write to ${path.join(ROOT, "node_modules")}. Give the folder to the user who starts Kimitsu.\n\n${tail}`,
    );
  return new PlainError(`npm ci failed. The end of what it said:\n\n${tail}`);
}
