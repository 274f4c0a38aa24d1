/**
 * A tool server as a process: JSON lines over its standard input and output. Differs from the SDK's own transport in how
 * the process is hosted, in limiting what it writes, and in what it says about calls when the process ends.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type CallWatch, sendContext, ServerEnded } from "./call-watch";
import { HostedProcess, type HostedProgram, type ProcessEnd } from "./hosted-process";
import { type BodyLimits, createBodyGuard, type LimitExceeded } from "./limit-body";
import type { MemoryWatch } from "./memory-watch";
import { readStderr, type StderrOptions } from "./read-stderr";

export interface StdioOptions {
  program: HostedProgram;
  memory: { watch: MemoryWatch; limitBytes: number };
  stderr: StderrOptions;
  limits: BodyLimits;
  /** Called once, before anything else learns of the end. `livedMs` counts from the start. */
  onEnded: (end: ProcessEnd & { livedMs: number }) => void;
}

const NEWLINE = 0x0a;
const MEGABYTE = 1024 * 1024;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  #process: HostedProcess | null = null;
  #line: Buffer[] = [];
  #guard;
  /** Calls that were sent and are not over. */
  readonly #calls = new Set<CallWatch>();

  constructor(private readonly options: StdioOptions) {
    this.#guard = createBodyGuard(options.limits, "json");
  }

  /** By these two the SDK recognises a process, which may not answer requests that it does not know. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }
  get stderr(): null {
    return null;
  }

  async start(): Promise<void> {
    const { program, memory, stderr } = this.options;
    const startedAt = stderr.now();
    const hosted = await HostedProcess.start(program);
    this.#process = hosted;
    hosted.child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    readStderr(hosted.child.stderr, stderr);
    const { limitBytes } = memory;
    const unwatch = memory.watch.watch(hosted.pid, limitBytes, (bytes) =>
      hosted.kill(
        `its program used ${Math.ceil(bytes / MEGABYTE)} MB of memory, its limit is ${Math.floor(limitBytes / MEGABYTE)} MB, and it was ended`,
      ),
    );
    void hosted.ended.then((end) => {
      unwatch();
      this.#finish(end, stderr.now() - startedAt);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const hosted = this.#process;
    if (!hosted) throw new ServerEnded("its program has ended");
    const { stdin } = hosted.child;
    if (!stdin.writable) throw await explainEnd(hosted);
    const call = sendContext.getStore();
    call?.markSent();
    if (call) {
      this.#calls.add(call);
      call.signal.addEventListener("abort", () => this.#calls.delete(call), { once: true });
    }
    const failed = await new Promise<unknown>((resolve) => stdin.write(`${JSON.stringify(message)}\n`, resolve));
    if (failed) throw await explainEnd(hosted);
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  #finish(end: ProcessEnd, livedMs: number): void {
    this.#process = null;
    this.options.onEnded({ ...end, livedMs });
    for (const call of this.#calls) call.serverEnded(new ServerEnded(end.reason));
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    try {
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        this.#guard.read(rest.subarray(0, end));
        const line = Buffer.concat([...this.#line, rest.subarray(0, end)]).toString("utf8");
        this.#line = [];
        this.#guard = createBodyGuard(this.options.limits, "json");
        rest = rest.subarray(end + 1);
        if (line.trim() !== "") this.#deliver(line);
      }
      this.#guard.read(rest);
      this.#line.push(rest);
    } catch (error) {
      this.#line = [];
      for (const call of this.#calls) call.exceeded(error as LimitExceeded);
      this.onerror?.(error as LimitExceeded);
      void this.close();
    }
  }

  #deliver(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line) as JSONRPCMessage;
    } catch (error) {
      return this.onerror?.(error as Error);
    }
    this.onmessage?.(message);
  }
}

/** A program that reads no more is of no use; how it ended says more than the broken pipe, and is known a moment later. */
async function explainEnd(hosted: HostedProcess): Promise<ServerEnded> {
  hosted.kill("its program closed its input, and was ended");
  return new ServerEnded((await hosted.ended).reason);
}
