/**
 * Until when people can be given more time to decide: without a limit a call could be postponed for ever while its
 * arguments become outdated.
 */
import { EXTENSION_MS_MIN, EXTENSION_TIMEOUTS } from "@/lib/limits";

/**
 * The later of the two: a timeout of minutes can be extended over a long weekend, and one of weeks can be extended at
 * all.
 */
export function extendableUntil({ createdAt, timeoutMs }: { createdAt: Date; timeoutMs: number | null }): Date {
  return new Date(createdAt.getTime() + Math.max(EXTENSION_MS_MIN, EXTENSION_TIMEOUTS * (timeoutMs ?? 0)));
}
