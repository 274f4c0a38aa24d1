/**
 * A tool server as a process: JSON lines over its standard input and output. No shell, and only the environment
 * variables that are given. Differs from the SDK's own transport in exactly that, and in limiting what the program
 * writes.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { sendContext } from "./call-watch";
import { type BodyLimits, createBodyGuard, type LimitExceeded } from "./limit-body";

export interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  limits: BodyLimits;
}

const STOP_MS = 2_000;
const NEWLINE = 0x0a;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  #child: ChildProcessWithoutNullStreams | null = null;
  #line: Buffer[] = [];
  #guard;

  constructor(private readonly options: StdioOptions) {
    this.#guard = createBodyGuard(options.limits, "json");
  }

  /** By these two the SDK recognises a process, which may not answer requests that it does not know. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  get stderr(): null {
    return null;
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { command, args, env } = this.options;
      const child = spawn(command, [...args], {
        env: { ...env } as unknown as NodeJS.ProcessEnv,
        shell: false,
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      this.#child = child;
      child.once("spawn", resolve).once("error", (error) => {
        reject(error);
        this.onerror?.(error);
      });
      child.once("close", () => {
        this.#child = null;
        this.onclose?.();
      });
      child.stdin.on("error", (error) => this.onerror?.(error));
      child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
      // A full pipe that nobody reads would block the program.
      child.stderr.resume();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error("The program of the tool server has ended.");
    sendContext.getStore()?.markSent();
    await new Promise<void>((resolve, reject) =>
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())),
    );
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
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
