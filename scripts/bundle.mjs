/** Our own TypeScript as one JavaScript file, without packages; built again only when a source has changed. */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PlainError } from "./plain-error.mjs";
import { ROOT } from "./runtime.mjs";

/** Below node_modules, so that the bundle finds the packages that are not part of it. */
const CACHE = path.join(ROOT, "node_modules/.cache/kimitsu");
const KEEP_MS = 24 * 60 * 60 * 1000;

/** Returns the path of the bundle of `entry`. Any number of processes may ask at once. */
export async function bundle(entry) {
  const name = entry.replaceAll(/[^a-z]+/g, "-");
  const known = readNote(name);
  // Relative names: the note may have been copied along with the project, and must not refer to the original.
  const isCurrent = known?.sources.every(([source, mark]) => fileMark(path.join(ROOT, source)) === mark);
  if (isCurrent && existsSync(path.join(CACHE, known.base))) return path.join(CACHE, known.base);
  const { base, sources } = await compile(entry, name);
  put(`${name}.json`, JSON.stringify({ base, sources }), { replace: true });
  return path.join(CACHE, base);
}

function readNote(name) {
  try {
    return JSON.parse(readFileSync(path.join(CACHE, `${name}.json`), "utf8"));
  } catch {
    // Missing or truncated: both only cost a compilation.
    return null;
  }
}

function fileMark(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : "missing";
}

/** The file is named by its content, so equal bundles are one file, and the file of a running program never changes. */
async function compile(entry, name) {
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
    metafile: true,
    write: false,
    logLevel: "silent",
  }).catch((cause) => {
    throw new PlainError(`${entry} cannot be compiled:\n${cause.message}`, { cause });
  });
  // Otherwise the compiler process stays for as long as the program that it compiled.
  await stop();
  const [map, code] = result.outputFiles;
  const base = `${name}-${createHash("sha256").update(code.contents).digest("hex").slice(0, 16)}.mjs`;
  mkdirSync(CACHE, { recursive: true });
  removeOld();
  put(`${base}.map`, map.contents);
  put(base, code.text.replace("sourceMappingURL=bundle.mjs.map", `sourceMappingURL=${base}.map`));
  const inputs = [...Object.keys(result.metafile.inputs), "scripts/bundle.mjs"];
  return { base, sources: inputs.map((input) => [input, fileMark(path.join(ROOT, input))]) };
}

function put(name, contents, { replace = false } = {}) {
  const file = path.join(CACHE, name);
  if (existsSync(file) && !replace) {
    // Marks it as in use, so that it is not cleaned up.
    utimesSync(file, new Date(), new Date());
    return;
  }
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

function removeOld() {
  for (const name of readdirSync(CACHE)) {
    const stats = statSync(path.join(CACHE, name), { throwIfNoEntry: false });
    if (stats?.isFile() && Date.now() - stats.mtimeMs > KEEP_MS) rmSync(path.join(CACHE, name), { force: true });
  }
}
