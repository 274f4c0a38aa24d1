/**
 * Limits on what a server can make us read, enforced while it arrives: bytes, nesting, and the number of events on a
 * stream. Exceeding a limit ends the stream; nothing larger is ever held in memory.
 */
export interface BodyLimits {
  /** Bytes of one answer, and of one event on a stream, after decompression. */
  bytesMax: number;
  nestingMax: number;
  /** Events within one minute on a stream. */
  eventsPerMinuteMax: number;
}

export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The three bytes of `id:`. */
const ID_FIELD = 0x69_64_3a;

export type BodyKind = "json" | "events";

export interface BodyGuard {
  /** Throws LimitExceeded. */
  read(chunk: Uint8Array): void;
  /** True when an event had an id, so that a client may request the rest of a broken stream. */
  readonly isResumable: boolean;
}

/** Scans JSON byte by byte as it passes, without building anything from it. */
export function createBodyGuard(limits: BodyLimits, kind: BodyKind, now: () => number = Date.now): BodyGuard {
  let bytes = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let lineLength = 0;
  let lineStart = 0;
  let isResumable = false;
  let events = 0;
  let minuteStart = now();

  /** A blank line ends an event: what follows is another message. */
  function endLine(): void {
    // JSON text has no raw line break inside a string, so a quote in a comment cannot hide what comes after it.
    inString = false;
    isEscaped = false;
    const isBlank = lineLength === 0;
    lineLength = 0;
    lineStart = 0;
    if (!isBlank) return;
    bytes = 0;
    depth = 0;
    const at = now();
    if (at - minuteStart >= 60_000) {
      minuteStart = at;
      events = 0;
    }
    events += 1;
    if (events > limits.eventsPerMinuteMax)
      throw new LimitExceeded(`more than ${limits.eventsPerMinuteMax} events within a minute`);
  }

  function follow(byte: number): void {
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) inString = false;
      return;
    }
    if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > limits.nestingMax) throw new LimitExceeded(`nested more than ${limits.nestingMax} deep`);
    } else if ((byte === 0x5d || byte === 0x7d) && depth > 0) depth -= 1;
  }

  return {
    get isResumable() {
      return isResumable;
    },
    read(chunk) {
      for (const byte of chunk) {
        bytes += 1;
        if (bytes > limits.bytesMax) throw new LimitExceeded(`larger than ${limits.bytesMax} bytes`);
        if (kind === "events" && byte === NEWLINE) endLine();
        else if (byte !== RETURN) {
          lineLength += 1;
          if (lineLength <= 3) lineStart = lineStart * 256 + byte;
          if (lineLength === 3 && lineStart === ID_FIELD) isResumable = true;
          follow(byte);
        }
      }
    },
  };
}

/**
 * The same response with its body guarded. `onExceeded` is called when a limit is exceeded, `onEnd` when the body ends
 * in any way.
 */
export function limitResponse(
  response: Response,
  limits: BodyLimits,
  hooks: { onExceeded(error: LimitExceeded): void; onEnd(isResumable: boolean): void },
): Response {
  if (!response.body) {
    hooks.onEnd(false);
    return response;
  }
  const isStream = (response.headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");
  const guard = createBodyGuard(limits, isStream ? "events" : "json");
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return hooks.onEnd(guard.isResumable);
        }
        guard.read(value);
        controller.enqueue(value);
      } catch (error) {
        if (error instanceof LimitExceeded) hooks.onExceeded(error);
        void reader.cancel(error).catch(() => {});
        controller.error(error);
        hooks.onEnd(guard.isResumable);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
