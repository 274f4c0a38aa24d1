/** Keeps everything that arrives on server-sent events, for as long as the connections last. */
import type { Place } from "./search";

export interface Listener {
  /**
   * Opens a live connection. Resolves when its headers have arrived; its events are kept as they arrive. One that the
   * server ends is reopened where it stopped, if it should continue.
   */
  open(name: string, address: string, headers: Record<string, string>, goesOn?: boolean): Promise<Response>;
  /** What was received on each connection until now, headers included. */
  heard(): Place[];
  /** Closes all connections, and resolves when nothing more can arrive. */
  close(): Promise<void>;
}

export function createListener(): Listener {
  const over = new AbortController();
  const lines: Place[] = [];
  const reading: Promise<void>[] = [];
  return {
    open: async (name, address, headers, goesOn = false) => {
      const line = { name: `stream ${name}`, text: "" };
      lines.push(line);
      const connect = async (more: Record<string, string> = {}) => {
        const response = await fetch(address, {
          headers: { accept: "text/event-stream", ...headers, ...more },
          signal: over.signal,
        });
        const { "set-cookie": _cookie, ...head } = Object.fromEntries(response.headers);
        line.text += `${JSON.stringify(head)}\n`;
        return response;
      };
      const first = await connect();
      const follow = async () => {
        await read(first, line);
        while (goesOn && !over.signal.aborted)
          await connect({ "last-event-id": [...line.text.matchAll(/^id: (\S+)/gm)].at(-1)?.[1] ?? "" }).then(
            (next) => read(next, line),
            () => undefined,
          );
      };
      reading.push(follow());
      return first;
    },
    heard: () => lines.map((line) => ({ ...line })),
    close: async () => {
      over.abort();
      await Promise.all(reading);
    },
  };
}

async function read({ body }: Response, line: Place): Promise<void> {
  // Pieces may end in the middle of a secret, or of one of its characters.
  const decoder = new TextDecoder();
  try {
    for await (const piece of (body ?? []) as unknown as AsyncIterable<Uint8Array>)
      line.text += decoder.decode(piece, { stream: true });
  } catch {
    // Most connections do not end by themselves: we close them, or the server ends.
  }
  line.text += decoder.decode();
}
