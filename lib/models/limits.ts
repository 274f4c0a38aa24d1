/** Every tunable of the gateway, with its unit and what changing it does. */

/**
 * Tries after the first when a provider states no `max_retries`. More tries bridge longer outages and hold the run
 * longer.
 */
export const RETRIES_DEFAULT = 2;
/** Wait before the first retry; it doubles with every further one. */
export const BACKOFF_FIRST_MS = 500;
/** Longest wait that the gateway chooses itself. */
export const BACKOFF_MAX_MS = 8_000;
/**
 * Longest Retry-After that is waited for. A longer one goes to the next model at once, so that no worker sleeps for
 * minutes.
 */
export const RETRY_AFTER_WAIT_MAX_MS = 20_000;

/**
 * Longest time of one call when a provider states no `timeout`. A long answer of a slow model takes about three
 * minutes.
 */
export const CALL_TIMEOUT_DEFAULT_MS = 240_000;

/** Larger answers are refused while they arrive. The longest answers of today's models are below one megabyte. */
export const ANSWER_SIZE_BYTES_MAX = 16 * 1024 * 1024;
/** How much of a failed answer is read; a longer error message adds nothing useful. */
export const ERROR_SIZE_BYTES_MAX = 64 * 1024;
/** How much of a provider's own message an error carries. */
export const ERROR_TEXT_LENGTH_MAX = 300;
/**
 * Text that an error shares with the request is removed from this length on. A lower value removes common words as
 * well.
 */
export const ECHO_LENGTH_MIN = 12;

/** Tokens of an answer when the step states none. It also bounds what is reserved from a budget before a call. */
export const OUTPUT_TOKENS_DEFAULT = 8_192;
/**
 * An answer is allowed fewer tokens where a budget pays for no more, but never fewer than this: shorter answers are
 * mostly cut off, and the money is wasted.
 */
export const OUTPUT_TOKENS_MIN = 1_024;

/** How much of arguments that cannot be read is kept with the call. */
export const MALFORMED_TEXT_LENGTH_MAX = 2_000;

/**
 * Fields that an answer may leave out, the reserved ones included; with more, Anthropic refuses a schema, which is then
 * given as text in the prompt.
 */
export const STRUCTURED_OPTIONAL_FIELDS_MAX = 24;
