/** What the recording server saw: a list in memory, and a file that outlives every process. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Received {
  /** Milliseconds since 1970, and the position in order of arrival. */
  at: number;
  order: number;
  /** The JSON-RPC method, such as `tools/call`; for a request without a message its HTTP method, such as `GET`. */
  method: string;
  tool: string | null;
  arguments: unknown;
  /** `_meta` of the message, or null. */
  meta: unknown;
  /** All params of the message, as sent. */
  params: unknown;
  /** Names in lower case, values as received; a header that came twice is joined as HTTP does. */
  headers: Record<string, string>;
  session: string | null;
  /** False when the tool fails before its work, so that nothing was done. */
  performed: boolean;
}

export class Recorder {
  readonly #received: Received[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #file: number | null;

  constructor(file: string | undefined) {
    this.#file = file === undefined ? null : openSync(file, "a");
  }

  /** One line is one write to a file opened for appending, so a line is whole or absent even after SIGKILL. */
  add(entry: Omit<Received, "at" | "order">): void {
    const received = { at: Date.now(), order: this.#received.length + 1, ...entry };
    if (this.#file !== null) writeSync(this.#file, `${JSON.stringify(received)}\n`);
    this.#received.push(received);
    for (const watcher of this.#watchers) watcher();
  }

  list(): readonly Received[] {
    return this.#received;
  }

  /** Resolves with the calls of the tool as soon as there are that many. */
  waitFor(tool: string, count: number): Promise<Received[]> {
    return new Promise((resolve) => {
      const check = () => {
        const calls = this.#received.filter((entry) => entry.method === "tools/call" && entry.tool === tool);
        if (calls.length < count) return;
        this.#watchers.delete(check);
        resolve(calls);
      };
      this.#watchers.add(check);
      check();
    });
  }

  /** Forgets the list; the file keeps everything. */
  reset(): void {
    this.#received.length = 0;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}

/** Every entry of a recording's file, of all processes that wrote to it. */
export function readRecording(file: string): Received[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Received);
}
