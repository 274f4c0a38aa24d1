/** Tunables of the way to tool servers, with their unit and what changing them does. */
import type { BodyLimits } from "./limit-body";

/**
 * Bytes of one answer after decompression. Higher lets tools give larger results, and lets a hostile server use that
 * much memory per call.
 */
export const RESULT_BYTES_MAX = 10 * 1024 * 1024;

export const BODY_LIMITS: BodyLimits = {
  bytesMax: RESULT_BYTES_MAX,
  /** Deeper JSON is refused before it is parsed; the deepest schemas seen stay under thirty. */
  nestingMax: 200,
  /** Each costs a parse; fifty progress notifications in a second are more than anyone reads. */
  eventsPerMinuteMax: 3_000,
};

/** Pages, tools and bytes of one server's list. A list without end is refused instead of read. */
export const LIST_PAGES_MAX = 100;
export const LIST_TOOLS_MAX = 2_000;
export const DEFINITION_BYTES_MAX = 128 * 1024;

/** Time for a server to answer the handshake, and for each page of its list. */
export const CONNECT_TIMEOUT_MS = 15_000;
/** Tries to connect, and the pause before the second; it doubles each time. Only before anything of a call was sent. */
export const CONNECT_TRIES = 3;
export const CONNECT_BACKOFF_MS = 200;

/** A connection that nobody used for this long is closed. */
export const IDLE_CLOSE_MS = 5 * 60_000;
/** A session unused for this long is asked whether it still exists before a call is sent on it. */
export const PING_AFTER_MS = 5_000;
/**
 * The list by which the definition of a call that nobody was asked about is checked may be this old. Lower costs a
 * request more often.
 */
export const VERIFY_LIST_AGE_MAX_MS = 10_000;

/** Time for checking one value against a schema that a stranger wrote; patterns can be made to take forever. */
export const SCHEMA_CHECK_MS = 250;
