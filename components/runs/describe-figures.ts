const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time in at most two units: "840 ms", "4.2 s", "3 min 12 s", "2 d 4 h". */
export function describeDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return describeInTwo(ms, UNITS.min, UNITS.s);
  if (ms < DAY_MS) return describeInTwo(ms, UNITS.h, UNITS.min);
  return describeInTwo(ms, UNITS.d, UNITS.h);
}

interface Unit {
  word: string;
  ms: number;
}

export const UNITS = {
  s: { word: "s", ms: SECOND_MS },
  min: { word: "min", ms: MINUTE_MS },
  h: { word: "h", ms: HOUR_MS },
  d: { word: "d", ms: DAY_MS },
} as const satisfies Record<string, Unit>;

/** "2 d 4 h"; what is nothing of the smaller unit is left out. */
export function describeInTwo(ms: number, large: Unit, small: Unit): string {
  const rest = Math.floor((ms % large.ms) / small.ms);
  return `${Math.floor(ms / large.ms)} ${large.word}${rest > 0 ? ` ${rest} ${small.word}` : ""}`;
}

/**
 * Times on one axis, formatted so that neighbours differ: where two units are not enough, as a clock, to the thousandth
 * of a second if needed.
 */
export function describeTicks(times: readonly number[]): string[] {
  const prints = [
    describeDuration,
    (ms: number) => printClock(ms, 0),
    (ms: number) => printClock(ms, 1),
    (ms: number) => printClock(ms, 3),
  ];
  const tells = (labels: readonly string[]) => labels.every((label, place) => label !== labels[place + 1]);
  const tried = prints.map((print) => times.map(print));
  return tried.find(tells) ?? tried[0] ?? [];
}

/** "3:31.2", "26:03:31". */
function printClock(ms: number, digits: number): string {
  const unit = 10 ** digits;
  const seconds = Math.floor((Math.max(0, ms) / SECOND_MS) * unit) / unit;
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    (seconds % 60).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, "0"),
  ];
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Small sums keep the digits that distinguish them; a small cost is never shown as $0.00. */
export function describeCost(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "under $0.0001";
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

const count = new Intl.NumberFormat("en");

export function describeCount(number: number, thing: string, things = `${thing}s`): string {
  return `${count.format(number)} ${number === 1 ? thing : things}`;
}

export function describeNumber(number: number): string {
  return count.format(number);
}
