const DAY_MS = 86_400_000;

/** A day of the calendar, without a place: "2026-03-01". */
export type Day = string;

/** The day that it is in this zone at this moment. */
export function dayAt(at: Date, zone: string): Day {
  return new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 10);
}

/** Null when there is no such day. */
export function parseDay(text: string): Day | null {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
    ? text
    : null;
}

export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysBetween(first: Day, last: Day): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS);
}

/** The first moment of a day in a zone. Where clocks are put forward at midnight, it is the moment after the gap. */
export function startOfDay(day: Day, zone: string): Date {
  const onTheDay = momentsOf(Date.parse(`${day}T00:00:00Z`), zone).filter((at) => dayAt(at, zone) === day);
  return onTheDay[0] ?? new Date(`${day}T00:00:00Z`);
}

/** What the clocks of a zone show, as "2026-03-01T09:30:00". */
export function wallTime(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 19);
}

/**
 * The first moment at which the clocks of a zone show this, or a day's first moment; null when it is no time. Where
 * clocks are put forward over it, the moment after the gap.
 */
export function momentOf(text: string, zone: string): Date | null {
  if (!text.includes("T")) return parseDay(text) === null ? null : startOfDay(text, zone);
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  const moments = momentsOf(wall, zone);
  const shown = new Date(wall).toISOString().slice(0, 19);
  return moments.find((at) => wallTime(at, zone) === shown) ?? endOfGap(moments, zone);
}

/** Between the moments by the offset before and by the offset after: where the offset changes. */
function endOfGap(moments: readonly Date[], zone: string): Date {
  let [before, after] = [(moments[0] ?? new Date(0)).getTime(), (moments.at(-1) ?? new Date(0)).getTime()];
  const first = offsetMs(new Date(before), zone);
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (offsetMs(new Date(middle), zone) === first) before = middle;
    else after = middle;
  }
  return new Date(after);
}

/** The moments that a wall clock can mean, earliest first: one for each offset that the zone has around it. */
function momentsOf(wall: number, zone: string): Date[] {
  const offsets = [wall - DAY_MS, wall, wall + DAY_MS].map((at) => offsetMs(new Date(at), zone));
  return [...new Set(offsets)]
    .map((offset) => new Date(wall - offset))
    .sort((one, other) => one.getTime() - other.getTime());
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than using it a hundred times. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(zone, clock);
  return clock;
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: Date, zone: string): number {
  const parts = clockOf(zone).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return (
    Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) -
    Math.floor(at.getTime() / 1000) * 1000
  );
}
