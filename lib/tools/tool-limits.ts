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

/** How long a program has to end when it is asked to, before it is made to. */
export const STOP_MS = 2_000;
/** How often the memory of hosted programs is looked at. Lower costs a read of every process more often. */
export const MEMORY_LOOK_INTERVAL_MS = 1_000;

/**
 * A program that ended is started again at once; if it ends again soon, after this pause, which doubles each time up to
 * the longest. One that lived for `STABLE_AFTER_MS` begins anew.
 */
export const RESTART_DELAY_MS = 1_000;
export const RESTART_DELAY_MAX_MS = 60_000;
export const STABLE_AFTER_MS = 60_000;

/** Of what a program writes to its standard error: lines within a window, and the length of a line, in the log. */
export const STDERR_LINES_MAX = 100;
export const STDERR_WINDOW_MS = 10_000;
export const STDERR_LINE_LENGTH_MAX = 500;
/** Longer lines are not logged at all: they are not held in memory, and a secret at the cut would not be recognised. */
export const STDERR_LINE_BYTES_MAX = 16 * 1024;
