/** Runs one program by its arguments, never through a shell of ours, and ends it with everything that it started. */
import { type ChildProcessWithoutNullStreams, spawn, type SpawnOptions } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";

export interface ProcessRequest {
  argv: readonly string[];
  cwd: string;
  /** All that it sees of an environment. */
  env: Readonly<Record<string, string>>;
  stdin?: string | undefined;
  timeoutMs: number;
  /** Of both outputs together. */
  outputBytesMax: number;
  signal: AbortSignal;
}

export interface ProcessResult {
  stdout: string;
  stderr: string;
  /** As a shell counts: 128 and the number of the signal for one that was ended. */
  exit_code: number;
  /** Why it was ended; null when it ended by itself. */
  stopped_because: "timeout" | "output" | null;
}

const KILLED = 137;

const CLOSED_ON_EXEC = 0o2000000;
let inherited: number[] | null = null;

/**
 * Descriptors that this process was itself started with would reach every program: they get /dev/null in their place.
 * Those that it opened are closed by the system.
 */
function coverInherited(): number[] {
  if (inherited !== null) return inherited;
  const open = readdirSync("/proc/self/fdinfo").flatMap((name) => {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1] ?? "0";
      return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0 ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
  const last = Math.max(2, ...open);
  const nothing = last > 2 ? openSync("/dev/null", "r") : -1;
  return (inherited = Array.from({ length: last - 2 }, () => nothing));
}

/** Throws when the program cannot be started, or the caller gave up. */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { argv, cwd, env, stdin, timeoutMs, outputBytesMax, signal } = request;
  signal.throwIfAborted();
  const [program = "", ...rest] = argv;
  // A group of its own, so that all of it can be ended at once.
  const options = { cwd, env, shell: false, detached: true, stdio: ["pipe", "pipe", "pipe", ...coverInherited()] };
  const child = spawn(program, rest, options as SpawnOptions) as ChildProcessWithoutNullStreams;
  let stopped: ProcessResult["stopped_because"] = null;
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
    // What left the group may hold the pipes open.
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  };
  const stop = (reason: "timeout" | "output") => {
    stopped ??= reason;
    end();
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  signal.addEventListener("abort", end, { once: true });
  let bytes = 0;
  const collect = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, outputBytesMax - bytes)));
      bytes += chunk.length;
      if (bytes > outputBytesMax) stop("output");
    });
    stream.on("error", () => {});
    return () => Buffer.concat(chunks).toString("utf8");
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (exitCode) => resolve(exitCode ?? KILLED));
    });
    signal.throwIfAborted();
    return { stdout: stdout(), stderr: stderr(), exit_code: stopped ? KILLED : code, stopped_because: stopped };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    // What it left running in the background must not outlive the call.
    end();
  }
}
