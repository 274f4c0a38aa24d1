#!/usr/bin/env node
/** Runs a TypeScript entry under the application's Node: `node scripts/run-ts.mjs lib/demo/main.ts …`. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";

/** Loads the entry into this process, which must already be the application's Node. */
export async function importTs(entry, args) {
  const file = await bundle(entry);
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], path.join(ROOT, entry), ...args];
  await import(pathToFileURL(file).href);
}

/** Runs the entry as a process of its own and returns `{ code, stdout, stderr }`. */
export function runTs(entry, args, env = process.env) {
  const child = spawn(applicationNode(), [fileURLToPath(import.meta.url), entry, ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (output[name] += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

async function main([entry, ...args]) {
  if (!entry || !existsSync(path.join(ROOT, entry)))
    throw new PlainError(`There is no ${entry ?? "entry"} to run. Usage: node scripts/run-ts.mjs lib/….ts [arguments]`);
  await continueOnApplicationNode();
  // Our parent may be killed without a chance to notify us; the channel's end shows it.
  if (process.channel) process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  await importTs(entry, args);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2)).catch((error) => process.exit(reportFailure(error)));
