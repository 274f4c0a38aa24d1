#!/usr/bin/env node
/** Runs a TypeScript entry under the application's Node: `node scripts/run-ts.mjs lib/demo/main.ts …`. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, continueOnApplicationNode, ROOT } from "./runtime.mjs";

/** Below node_modules, so that the bundle finds the packages that are not part of it. */
const CACHE = path.join(ROOT, "node_modules/.cache/kimitsu");
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * Bundles our own sources into one file, packages left out, and returns its path. The name is the content's hash, so processes that
 * do this at the same time write the same file, and one that runs never has it changed under it.
 */
async function bundle(entry) {
  const { build, stop } = await import("esbuild");
  const result = await build({
    entryPoints: [path.join(ROOT, entry)],
    absWorkingDir: ROOT,
    bundle: true,
    packages: "external",
    alias: { "@": ROOT },
    platform: "node",
    format: "esm",
    target: "node24",
    jsx: "automatic",
    sourcemap: "linked",
    outfile: path.join(CACHE, "bundle.mjs"),
    write: false,
    logLevel: "silent",
  }).catch((cause) => {
    throw new PlainError(`${entry} cannot be compiled:\n${cause.message}`, { cause });
  });
  // Otherwise the compiler stays for as long as the program that it compiled.
  await stop();
  const [map, code] = result.outputFiles;
  const name = `${entry.replaceAll(/[^a-z]+/g, "-")}-${createHash("sha256").update(code.contents).digest("hex").slice(0, 16)}`;
  mkdirSync(CACHE, { recursive: true });
  removeOld();
  put(`${name}.mjs.map`, map.contents);
  return put(`${name}.mjs`, code.text.replace("sourceMappingURL=bundle.mjs.map", `sourceMappingURL=${name}.mjs.map`));
}

function put(name, contents) {
  const file = path.join(CACHE, name);
  if (existsSync(file)) {
    // Shows that it is in use, so that nobody clears it away.
    utimesSync(file, new Date(), new Date());
    return file;
  }
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
  return file;
}

function removeOld() {
  for (const name of readdirSync(CACHE)) {
    const file = path.join(CACHE, name);
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - modified > KEEP_MS) rmSync(file, { force: true });
  }
}

/** Loads the entry into this process, which must already be the application's Node. */
export async function importTs(entry, args) {
  const file = await bundle(entry);
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], path.join(ROOT, entry), ...args];
  await import(pathToFileURL(file).href);
}

/** Runs the entry as a process of its own and returns `{ code, stdout, stderr }`. */
export function runTs(entry, args, env = process.env) {
  const child = spawn(applicationNode(), [fileURLToPath(import.meta.url), entry, ...args], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (output[name] += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

async function main([entry, ...args]) {
  if (!entry || !existsSync(path.join(ROOT, entry))) throw new PlainError(`There is no ${entry ?? "entry"} to run. Usage: node scripts/run-ts.mjs lib/….ts [arguments]`);
  await continueOnApplicationNode();
  // The one who started us may be killed without a chance to say so; the channel's end is how we learn of it.
  if (process.channel) process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  await importTs(entry, args);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2)).catch((error) => process.exit(reportFailure(error)));
