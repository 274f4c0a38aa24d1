const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The distance of two times in words, in whole units and never rounded up: "in 2 h" means at least two hours. What is
 * far away is a day of this zone.
 */
export function describeAge(at: string, now: string, timeZone = "UTC"): string {
  const distanceMs = new Date(now).getTime() - new Date(at).getTime();
  const size = Math.abs(distanceMs);
  if (size < MINUTE_MS) return distanceMs >= 0 ? "just now" : "in under a minute";
  if (size >= 30 * DAY_MS) return new Intl.DateTimeFormat("sv-SE", { timeZone }).format(new Date(at));
  const amount =
    size < HOUR_MS
      ? `${Math.floor(size / MINUTE_MS)} min`
      : size < DAY_MS
        ? `${Math.floor(size / HOUR_MS)} h`
        : `${Math.floor(size / DAY_MS)} d`;
  return distanceMs > 0 ? `${amount} ago` : `in ${amount}`;
}
