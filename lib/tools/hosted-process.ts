/**
 * A program that serves tools, as a child of this process: with a group, a folder and an environment of its own, and
 * nothing of ours. It and all that it started end with `end`, with itself, and with this process, however that ends.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { KimitsuError } from "@/lib/errors";
import { listMembers } from "./process-table";
import { STOP_MS } from "./tool-limits";

export interface HostedProgram {
  command: string;
  args: readonly string[];
  /** All that it sees. */
  env: Readonly<Record<string, string>>;
}

export interface ProcessEnd {
  /** As the end of a sentence: "its program ended with code 1". */
  reason: string;
  /** True when we ended it because it was not needed any more. */
  isExpected: boolean;
}

const HAS_GROUPS = process.platform !== "win32";
/** How long output may still arrive after the program has ended; somebody else may hold its pipe. */
const OUTPUT_SETTLE_MS = 500;
/** Reads the group; a second line means that it has ended. The end of input instead means that our process is gone. */
const WATCH_SCRIPT = `read -r group || exit 0
read -r word && exit 0
kill -s TERM -- "-$group" 2>/dev/null
sleep ${STOP_MS / 1000}
kill -s KILL -- "-$group" 2>/dev/null
rm -rf -- "$1"`;

export class HostedProcess {
  readonly pid: number;
  /** Resolves when it has ended, all its output was read, and nothing that it started is left. */
  readonly ended: Promise<ProcessEnd>;
  #ending: ProcessEnd | null = null;

  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    private readonly folder: string,
  ) {
    this.pid = child.pid!;
    this.ended = this.#follow(watchForOurEnd(this.pid, folder));
  }

  /** Throws `config_invalid` when the program cannot be started. */
  static async start({ command, args, env }: HostedProgram): Promise<HostedProcess> {
    const folder = await mkdtemp(path.join(tmpdir(), "kimitsu-server-"));
    const child = spawn(command, [...args], {
      cwd: folder,
      env: { ...env } as unknown as NodeJS.ProcessEnv,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    // A write to a program that has ended is reported by its end.
    child.stdin.on("error", () => {});
    if (child.pid !== undefined) return new HostedProcess(child, folder);
    const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
    await rm(folder, { recursive: true, force: true });
    throw describeStart(command, error);
  }

  /** Asks it to end, and makes it end when it does not. */
  async end(): Promise<void> {
    this.#ending ??= { reason: "it was closed", isExpected: true };
    this.child.stdin.end();
    this.#signal("SIGTERM");
    const timer = setTimeout(() => this.#signal("SIGKILL"), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(reason: string): void {
    this.#ending ??= { reason, isExpected: false };
    this.#signal("SIGKILL");
  }

  async #follow(watch: { release(): void }): Promise<ProcessEnd> {
    const [code, signal] = (await once(this.child, "exit")) as [number | null, NodeJS.Signals | null];
    const reason = signal === null ? `its program ended with code ${code}` : `its program was ended by ${signal}`;
    // With a code it ended by itself, even if we were about to kill it.
    const isOurs = this.#ending !== null && (this.#ending.isExpected || signal !== null);
    const end = isOurs ? this.#ending! : { reason, isExpected: false };
    await this.#endMembers();
    await this.#drain();
    watch.release();
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
    return end;
  }

  /** What it started may have left its group, and is then found by its session. */
  async #endMembers(): Promise<void> {
    this.#signal("SIGKILL");
    if (!HAS_GROUPS) return;
    for (const pid of await listMembers(this.pid)) if (pid !== process.pid) signal(pid, "SIGKILL");
  }

  async #drain(): Promise<void> {
    const { stdout, stderr } = this.child;
    const timer = setTimeout(() => [stdout, stderr].forEach((stream) => stream.destroy()), OUTPUT_SETTLE_MS);
    await Promise.all([stdout, stderr].map((stream) => (stream.closed ? null : once(stream, "close").catch(() => {}))));
    clearTimeout(timer);
  }

  #signal(name: NodeJS.Signals): void {
    signal(HAS_GROUPS ? -this.pid : this.pid, name);
  }
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch {
    // It is gone already.
  }
}

/**
 * A program sees our end as the end of its input, and should end then. For one that does not, a shell waits for our end
 * too: nothing else survives SIGKILL of this process.
 */
function watchForOurEnd(group: number, folder: string): { release(): void } {
  if (!HAS_GROUPS) return { release: () => {} };
  const watch: ChildProcess = spawn("/bin/sh", ["-c", WATCH_SCRIPT, "sh", folder], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" } as unknown as NodeJS.ProcessEnv,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a shell there is no watch, and the end of its input must do.
  watch.on("error", () => {});
  watch.stdin!.on("error", () => {});
  watch.stdin!.write(`${group}\n`);
  watch.unref();
  return { release: () => void watch.stdin!.end("ended\n") };
}

function describeStart(command: string, error: NodeJS.ErrnoException): KimitsuError {
  const why =
    error.code === "ENOENT"
      ? "it was not found; give its whole path, or a name on the PATH of Kimitsu"
      : error.code === "EACCES"
        ? "it may not be executed"
        : error.message;
  return new KimitsuError("config_invalid", `the program ${JSON.stringify(command)} cannot be started: ${why}`, {
    cause: error,
  });
}
