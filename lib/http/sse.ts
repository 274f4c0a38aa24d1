import { STREAM_RETRY_AFTER_S } from "@/lib/limits";
import { env } from "@/lib/env";
import { log } from "@/lib/log";
import { refusalBy } from "@/lib/telemetry/record-refusal";

export interface ServerSentEvent {
  /** What the client sends back as `Last-Event-ID` to resume after it. */
  id: string;
  event: string;
  data: unknown;
}

/** Proxies and browsers close what is silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/**
 * A stream ends after this and its reader connects again, so that none outlives the process that a deployment replaces.
 */
export const STREAM_AGE_MAX_MS = 10 * 60_000;

// One count for all bundles of the process.
const kept = globalThis as typeof globalThis & { __kimitsuStreams?: Map<string, number> };
const open = (): Map<string, number> => (kept.__kimitsuStreams ??= new Map());

/**
 * Counts an event stream, of whatever kind, against its person's limit and the process's; returns a function that ends
 * it. Throws `rate_limited` when the person has too many open, `unavailable` when the process has.
 */
export function takeStream(userId: string): () => void {
  const own = open().get(userId) ?? 0;
  const again = `Try again in ${STREAM_RETRY_AFTER_S} s.`;
  if (own >= env.KIMITSU_STREAMS_PER_PERSON) {
    throw refusalBy(
      "streams_per_person",
      `You have ${own} event streams open, which is the most for one person: close a tab or a client, or read pages of JSON. ${again}`,
      { retryAfterS: STREAM_RETRY_AFTER_S },
    );
  }
  const all = [...open().values()].reduce((sum, count) => sum + count, 0);
  if (all >= env.KIMITSU_STREAMS_MAX) {
    throw refusalBy(
      "streams",
      `${all} event streams are open here, which is the most for one process: read pages of JSON. ${again}`,
      { retryAfterS: STREAM_RETRY_AFTER_S },
    );
  }
  open().set(userId, own + 1);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    const left = (open().get(userId) ?? 1) - 1;
    if (left > 0) open().set(userId, left);
    else open().delete(userId);
  };
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // `no-transform` keeps compression, which would hold events back, away from the stream.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Tells a reader that has everything of an ended run to stop: an EventSource does not reconnect after this. */
export const nothingMore = (): Response =>
  new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

/**
 * Sends the source's events as fast as the reader takes them, with heartbeats in between. `end` is called once,
 * whichever side ends it.
 */
export function eventStream(
  source: AsyncGenerator<ServerSentEvent>,
  { end, heartbeatMs = HEARTBEAT_MS }: { end: () => void; heartbeatMs?: number },
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${STREAM_RETRY_AFTER_S * 1000}\n\n`)),
      async pull(controller) {
        try {
          next ??= source.next();
          const result = await within(next, heartbeatMs);
          if (result === "late") return controller.enqueue(encoder.encode(": still here\n\n"));
          next = undefined;
          if (!result.done) return controller.enqueue(encoder.encode(format(result.value)));
        } catch (error) {
          // The response has begun, so it can only be cut off; the reader reconnects and resumes after what it has.
          log.warn({ err: error }, "an event stream broke off");
        }
        end();
        controller.close();
      },
      async cancel() {
        end();
        await source.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(stream, { headers: HEADERS });
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  const { promise, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(resolve, ms, "late");
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** JSON has no line breaks of its own, so one data line holds it. */
const format = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
