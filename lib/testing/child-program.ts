/** Starts a TypeScript program of this repository as a process of its own, as tests of crashes and restarts need. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Next to the packages, because the bundle resolves them from its own folder. */
const CACHE = path.join(ROOT, "node_modules/.cache/kimitsu-testing");

export interface ChildProgram {
  readonly pid: number;
  /** The next line of standard output. Rejects with the standard error when the program ends first. */
  nextLine(): Promise<string>;
  /** Resolves when the process is gone, with its exit code or the signal that ended it. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it wrote to its standard error so far. */
  complaints(): string;
  /** Closes the channel to the parent, as happens when the parent dies. */
  disconnect(): void;
  /** SIGTERM by default. Resolves when the process is gone; nothing happens when it already is. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * `entry` is relative to the repository. The environment is exactly what is given, besides PATH and the temporary
 * folder.
 */
export async function startChildProgram(
  entry: string,
  options: { env?: Record<string, string>; args?: string[] } = {},
): Promise<ChildProgram> {
  const bundle = await bundleProgram(entry);
  const child = spawn(process.execPath, ["--enable-source-maps", bundle, ...(options.args ?? [])], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, NODE_ENV: "test", ...options.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  await once(child, "spawn");
  return controlChild(child, entry);
}

const bundles = new Map<string, Promise<string>>();

/** Built once per test file and named by its content: test files run at the same time and share what is equal. */
function bundleProgram(entry: string): Promise<string> {
  const known = bundles.get(entry) ?? writeBundle(entry);
  bundles.set(entry, known);
  return known;
}

async function writeBundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, entry)],
    outdir: CACHE,
    write: false,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node24",
    sourcemap: "inline",
    alias: { "@": ROOT },
    logLevel: "silent",
  });
  const { contents } = outputFiles[0]!;
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 16);
  const bundle = path.join(CACHE, `${entry.replaceAll(/[^a-z0-9]+/gi, "-")}-${hash}.mjs`);
  await mkdir(CACHE, { recursive: true });
  // Renamed into place, so that a process that starts at this moment never reads half a file.
  const part = `${bundle}.${process.pid}.part`;
  await writeFile(part, contents);
  await rename(part, bundle);
  return bundle;
}

function controlChild(child: ChildProcess, entry: string): ChildProgram {
  // Not `close`: after `disconnect()` by the parent that event is never sent.
  const ended = once(child, "exit").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  let errors = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const errorsRead = once(child.stderr!, "close");
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    ended,
    nextLine: async () => {
      const line = await lines.next();
      if (!line.done) return line.value;
      const [{ code, signal }] = await Promise.all([ended, errorsRead]);
      throw new Error(
        `${entry} ended (${signal ?? `code ${code}`}) without another line. Its standard error:\n${errors}`,
      );
    },
    complaints: () => errors,
    disconnect: () => child.disconnect(),
    stop: async (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}
