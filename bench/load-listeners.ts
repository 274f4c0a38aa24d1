/**
 * Open inboxes: event streams as browsers hold them. One that the server ends in order is reopened at once, and the
 * list is checked for what happened in between.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { LoadClient } from "./load-client";

export interface Asked {
  approvalId: string;
  runId: string;
}

export interface Listeners {
  /** Streams that are open now. */
  open(): number;
  /** Events received over all of them. */
  heard(): number;
  close(): Promise<void>;
}

/** After one that was cut off. */
const AGAIN_MS = 1_000;
const CHANGE = /^event: change\nid: .*\ndata: (\{.*\})$/m;

interface ListenerEvents {
  onAsked: (asked: Asked) => void;
  /** It is open again, and questions may have been asked meanwhile. */
  onBehind: () => void;
}

/** One of them reports its events, as all receive the same; the others only count. */
export function openListeners(
  url: string,
  cookies: readonly string[],
  client: LoadClient,
  { onAsked, onBehind }: ListenerEvents,
): Listeners {
  const dispatcher = new Agent({ connections: cookies.length + 1, bodyTimeout: 0 });
  const closing = new AbortController();
  let open = 0;
  let heard = 0;

  function read(block: string): void {
    const data = CHANGE.exec(block)?.[1];
    if (!data) return;
    const { type, approvalId, runId } = JSON.parse(data) as { type: string; approvalId: string | null; runId: string };
    if (type === "approval.requested" && approvalId) onAsked({ approvalId, runId });
  }

  /** Resolves when the stream ends: true when the server ended it in order. */
  async function listen(cookie: string, { tells, isFirst }: { tells: boolean; isFirst: boolean }): Promise<boolean> {
    const { statusCode, body } = await request(`${url}/live/inbox`, {
      dispatcher,
      headers: { cookie, accept: "text/event-stream" },
      signal: closing.signal,
    });
    if (statusCode !== 200) {
      await body.dump();
      client.fail(`stream: ${statusCode}`);
      return false;
    }
    open += 1;
    if (tells && !isFirst) onBehind();
    let rest = "";
    let isOver = false;
    try {
      for await (const chunk of body) {
        const blocks = (rest + String(chunk)).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          if (block.includes("event: change")) heard += 1;
          if (block.startsWith("event: again")) isOver = true;
          if (tells) read(block);
        }
      }
    } finally {
      open -= 1;
    }
    if (!isOver && !closing.signal.aborted) client.fail("stream: broke off");
    return isOver;
  }

  const all = cookies.map(async (cookie, index) => {
    for (let isFirst = true; !closing.signal.aborted; isFirst = false) {
      const isInOrder = await listen(cookie, { tells: index === 0, isFirst }).catch((error: unknown) => {
        if (!closing.signal.aborted) client.fail(`stream: ${(error as { code?: string }).code ?? String(error)}`);
        return false;
      });
      if (!isInOrder && !closing.signal.aborted) await delay(AGAIN_MS * Math.random());
    }
  });
  return {
    open: () => open,
    heard: () => heard,
    close: async () => {
      closing.abort();
      await Promise.all(all);
      await dispatcher.destroy();
    },
  };
}
