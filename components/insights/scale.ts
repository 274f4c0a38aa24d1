const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Familiar durations; waits differ by factors, so the scale is logarithmic. */
const WAIT_TICKS = [
  100,
  SECOND_MS,
  10 * SECOND_MS,
  MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
  365 * DAY_MS,
];
const STEPS = [1, 2, 3, 4, 6, 8, 10];

export interface Scale {
  /** From the bottom, 0, to the top, 1. */
  place: (value: number) => number;
  ticks: number[];
}

/** Whole numbers from none to at least `max`, with a line in the middle where that is a whole number too. */
export function countScale(max: number): Scale {
  const top = roundUp(Math.max(max, 1));
  return { place: (value) => value / top, ticks: top % 2 === 0 ? [0, top / 2, top] : [0, top] };
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return STEPS.map((step) => step * power).find((step) => step >= value) ?? value;
}

/** From the last known length at or below the shortest wait to the first at or above the longest. */
export function waitScale(waits: readonly number[]): Scale {
  const [low, high] = [Math.min(...waits), Math.max(...waits)];
  const above = WAIT_TICKS.findIndex((tick) => tick >= high);
  const last = above === -1 ? WAIT_TICKS.length - 1 : Math.max(above, 1);
  const below = WAIT_TICKS.findLastIndex((tick) => tick <= low);
  const first = Math.min(Math.max(below, 0), last - 1);
  const ticks = WAIT_TICKS.slice(first, last + 1);
  const [bottom, top] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? 1)];
  return { place: (ms) => Math.min(1, Math.max(0, (Math.log(Math.max(ms, 1)) - bottom) / (top - bottom))), ticks };
}

export interface Slot {
  /** In percent of the width. */
  middle: number;
  left: number;
  width: number;
  /** Whether its name stands under it, and whether it still does on a phone. */
  isNamed: boolean;
  isNamedOnPhone: boolean;
}

const NAMES_MAX = 9;
const NAMES_MAX_ON_PHONE = 5;
/** A bar is never so wide that it looks like a field. */
const WIDTH_MAX = 4;

/** Positions of bars side by side, and which of them can be labelled without overlapping labels. */
export function placeSlots(count: number): Slot[] {
  const slot = 100 / count;
  const width = Math.min(slot * 0.72, WIDTH_MAX);
  const every = Math.ceil(count / NAMES_MAX);
  const everyOnPhone = Math.ceil(Math.ceil(count / NAMES_MAX_ON_PHONE) / every) * every;
  return Array.from({ length: count }, (_, index) => {
    const middle = slot * (index + 0.5);
    // Counted from the end, so that the newest has a label.
    const fromEnd = count - 1 - index;
    return {
      middle,
      left: middle - width / 2,
      width,
      isNamed: fromEnd % every === 0,
      isNamedOnPhone: fromEnd % everyOnPhone === 0,
    };
  });
}
