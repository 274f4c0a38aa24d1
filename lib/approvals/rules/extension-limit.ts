/**
 * Until when people can be given more time to decide: a call that is put off for ever is decided by nobody, with
 * arguments that grow old.
 */
import { EXTENSION_MS_MIN, EXTENSION_TIMEOUTS } from "@/lib/limits";

/** Whichever is later: a rule of minutes may wait over a long weekend, and one of weeks can be extended at all. */
export function extendableUntil({ createdAt, timeoutMs }: { createdAt: Date; timeoutMs: number | null }): Date {
  return new Date(createdAt.getTime() + Math.max(EXTENSION_MS_MIN, EXTENSION_TIMEOUTS * (timeoutMs ?? 0)));
}
