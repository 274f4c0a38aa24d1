/**
 * After this long a wait is taken for one that never ends. It judges nothing: a wait for what must happen ends when it
 * happens, and on a busy machine that is later. What must not happen is proven by holding the moment, never by waiting.
 */
export const HANG_MS = 240_000;
