/** `next build`, skipped when what it would read is what it read last time. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { diskFullError, isDiskFull } from "../disk.mjs";
import { PlainError } from "../plain-error.mjs";
import { step } from "../progress.mjs";
import { applicationNode, ROOT } from "../runtime.mjs";

const FOLDERS = ["app", "components", "lib", "public", "prisma"];
const FILE =
  /^(next\.config\.\w+|postcss\.config\.\w+|tsconfig\.json|package-lock\.json|proxy\.ts|instrumentation[\w-]*\.ts)$/;
/** Tests are no part of the product; the generated client follows from the schema, which is hashed. */
const IGNORED = /\.test\.tsx?$|^lib\/(testing|database\/generated)\//;
const STAMP = path.join(ROOT, ".next/kimitsu-build");
const TAIL_LINES = 30;

function sources() {
  const top = readdirSync(ROOT).filter((name) => FILE.test(name));
  const below = FOLDERS.filter((folder) => existsSync(path.join(ROOT, folder))).flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(ROOT, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, "/"),
      ),
  );
  return [...top, ...below].filter((name) => !IGNORED.test(name)).sort();
}

function buildStamp() {
  // The build holds absolute paths, so a project folder that was moved or copied needs one of its own.
  const hash = createHash("sha256").update(`${ROOT}\0${process.platform}-${process.arch}\0`);
  for (const name of sources())
    hash
      .update(`${name}\0`)
      .update(readFileSync(path.join(ROOT, name)))
      .update("\0");
  return hash.digest("hex");
}

const isBuilt = (stamp) =>
  existsSync(path.join(ROOT, ".next/BUILD_ID")) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp;

/** Leaves the whole output in `logFolder`. */
export async function build({ logFolder, signal }) {
  const stamp = buildStamp();
  if (isBuilt(stamp)) return;
  await step("Building the web application", async () => {
    const { code, output } = await nextBuild(signal);
    if (code !== 0) throw buildFailure(output, logFolder);
    // Taken before the build, so that a file edited meanwhile leads to another build and not to a stale one.
    writeFileSync(STAMP, stamp);
  });
}

function nextBuild(signal) {
  const child = spawn(applicationNode(), [path.join(ROOT, "node_modules/next/dist/bin/next"), "build"], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

function buildFailure(output, logFolder) {
  if (isDiskFull(output)) return diskFullError(path.join(ROOT, ".next"));
  mkdirSync(logFolder, { recursive: true });
  const log = path.join(logFolder, "build.log");
  writeFileSync(log, output);
  const tail = output.trim().split("\n").slice(-TAIL_LINES).join("\n");
  return new PlainError(`The web application could not be built:\n\n${tail}\n\nThe whole output: ${log}`);
}
