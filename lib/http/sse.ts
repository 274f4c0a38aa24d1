import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";

export interface ServerSentEvent {
  /** What the client sends back as `Last-Event-ID` to go on after it. */
  id: string;
  event: string;
  data: unknown;
}

/** Proxies and browsers close what is silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/** A stream ends after this and its reader connects again, so that a revoked token or a closed account does not go on listening. */
export const STREAM_AGE_MAX_MS = 10 * 60_000;
/** Streams of one person or token, and of the whole process: each costs a look at the database now and then. */
const STREAMS_PER_READER = 24;
const STREAMS_IN_ALL = 500;
const RETRY_AFTER_S = 5;

const open = new Map<string, number>();

/** Counts a stream against its reader's limit; gives back how to end it. Throws `rate_limited` when there are too many. */
export function takeStream(reader: string): () => void {
  const own = open.get(reader) ?? 0;
  const all = [...open.values()].reduce((sum, count) => sum + count, 0);
  if (own >= STREAMS_PER_READER || all >= STREAMS_IN_ALL) {
    throw new KimitsuError("rate_limited", `There are ${own} event streams of yours open, and ${all} in all; close one, or read pages of JSON.`, { retryAfterS: RETRY_AFTER_S });
  }
  open.set(reader, own + 1);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    const left = (open.get(reader) ?? 1) - 1;
    if (left > 0) open.set(reader, left);
    else open.delete(reader);
  };
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // `no-transform` keeps compression, which would hold events back, away from the stream.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** A reader that has everything of a settled run is told so: an EventSource does not come back after this. */
export const nothingMore = (): Response => new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

/** Sends what the source gives, as fast as the reader takes it, with a sign of life in between. `end` is called once, whoever ends it. */
export function eventStream(source: AsyncGenerator<ServerSentEvent>, { end, heartbeatMs = HEARTBEAT_MS }: { end: () => void; heartbeatMs?: number }): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_AFTER_S * 1000}\n\n`)),
      async pull(controller) {
        try {
          next ??= source.next();
          const result = await within(next, heartbeatMs);
          if (result === "late") return controller.enqueue(encoder.encode(": still here\n\n"));
          next = undefined;
          if (!result.done) return controller.enqueue(encoder.encode(format(result.value)));
        } catch (error) {
          // The answer has begun, so it can only break off; the reader comes back after what it has.
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
const format = ({ id, event, data }: ServerSentEvent): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
