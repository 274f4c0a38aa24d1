/**
 * After this long a wait counts as endless. It judges nothing: a wait for something expected ends when it happens, and
 * on a busy machine that is later. What must not happen is proven with pause points, never by waiting.
 */
export const HANG_MS = 240_000;
