/** How long "not now" lasts. Pure. */
import { RETURN_BEFORE_EXPIRY_MS } from "@/lib/limits";

/**
 * When a call that was set aside returns by itself; null when only a change brings it back. Setting aside must not let
 * a call expire unseen: it returns while there is still time, which for a call that expires soon is half of the
 * remaining time.
 */
export function returnTime(now: Date, forMs: number | null, expiresAt: Date | null): Date | null {
  const chosen = forMs === null ? null : now.getTime() + forMs;
  if (expiresAt === null) return chosen === null ? null : new Date(chosen);
  const left = expiresAt.getTime() - now.getTime();
  const latest = expiresAt.getTime() - Math.min(RETURN_BEFORE_EXPIRY_MS, Math.ceil(left / 2));
  return new Date(chosen === null ? latest : Math.min(chosen, latest));
}

/** Whether a call is still set aside: it is not due yet, and nothing about it has changed since. */
export function liesAside(aside: { until: Date | null; version: number }, currentVersion: number, now: Date): boolean {
  return aside.version === currentVersion && (aside.until === null || aside.until > now);
}
