import { describeInTwo, UNITS } from "@/components/runs/describe-figures";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time that is left, never more than there is: "14:32", "1 h 12 min", "6 d 23 h". */
export function describeLeft(leftMs: number): string {
  if (leftMs <= 0) return "0:00";
  if (leftMs < HOUR_MS)
    return `${Math.floor(leftMs / MINUTE_MS)}:${String(Math.floor((leftMs % MINUTE_MS) / SECOND_MS)).padStart(2, "0")}`;
  if (leftMs < DAY_MS) return describeInTwo(leftMs, UNITS.h, UNITS.min);
  return describeInTwo(leftMs, UNITS.d, UNITS.h);
}

/** How long something took: "22 s", "4 min", "3 h". */
export function describeDuration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(1, Math.round(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / DAY_MS)} d`;
}
