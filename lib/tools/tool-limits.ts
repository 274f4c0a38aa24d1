/** Tunables for reaching tool servers, with their unit and what changing them does. */
import type { BodyLimits } from "./limit-body";

/**
 * Bytes of one answer after decompression. Higher allows larger results, and lets a hostile server use that much memory
 * per call.
 */
export const RESULT_BYTES_MAX = 10 * 1024 * 1024;

export const BODY_LIMITS: BodyLimits = {
  bytesMax: RESULT_BYTES_MAX,
  /** Deeper JSON is refused before it is parsed; the deepest schemas seen stay under thirty. */
  nestingMax: 200,
  /** Each costs a parse; fifty progress notifications in a second are more than anyone reads. */
  eventsPerMinuteMax: 3_000,
};

/** Pages, tools and bytes of one server's list. An endless list is refused instead of read. */
export const LIST_PAGES_MAX = 100;
export const LIST_TOOLS_MAX = 2_000;
export const DEFINITION_BYTES_MAX = 128 * 1024;

/** Time for a server to answer the handshake, and for each page of its list. */
export const CONNECT_TIMEOUT_MS = 15_000;
/**
 * Attempts to connect, and the pause before the second; it doubles each time. Only before anything of a call was sent.
 */
export const CONNECT_TRIES = 3;
export const CONNECT_BACKOFF_MS = 200;

/** A connection that nobody used for this long is closed. */
export const IDLE_CLOSE_MS = 5 * 60_000;
/** A session unused for this long is pinged before a call is sent on it. */
export const PING_AFTER_MS = 5_000;
/** Maximum age of the list against which the definition of an unasked call is checked. Lower costs more requests. */
export const VERIFY_LIST_AGE_MAX_MS = 10_000;

/** Time for checking one value against an untrusted schema; patterns can be made to take forever. */
export const SCHEMA_CHECK_MS = 250;
