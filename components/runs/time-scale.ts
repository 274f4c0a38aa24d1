export interface Stretch {
  from: number;
  to: number;
}

export interface TimeScale {
  /** Percent of the width, from 0 to 100. */
  place(time: number): number;
  /** The time at this percent of the width. */
  timeAt(percent: number): number;
  /** True when time in which nothing worked is drawn shorter than it was. */
  isFolded: boolean;
}

/**
 * More quiet time than this part of the whole is folded, so that two seconds of work stay visible beside three days of
 * waiting.
 */
const QUIET_PART_MAX = 0.4;
/** What all quiet time together then gets of the width. */
const QUIET_WIDTH = 30;

export function buildScale(whole: Stretch, busy: readonly Stretch[]): TimeScale {
  const total = Math.max(1, whole.to - whole.from);
  const worked = joinStretches(
    busy.map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) })),
  );
  const workedMs = worked.reduce((sum, { from, to }) => sum + to - from, 0);
  const quietMs = total - workedMs;
  const isFolded = workedMs > 0 && quietMs / total > QUIET_PART_MAX;
  const corners: Corner[] = [{ time: whole.from, percent: 0 }];
  const go = (time: number, rate: number) => {
    const last = corners.at(-1) ?? { time, percent: 0 };
    corners.push({ time, percent: last.percent + (time - last.time) * rate });
  };
  for (const { from, to } of isFolded ? worked : []) {
    go(from, QUIET_WIDTH / quietMs);
    go(to, (100 - QUIET_WIDTH) / workedMs);
  }
  corners.push({ time: whole.from + total, percent: 100 });
  return {
    isFolded,
    place: (time) => clamp(between(corners, { time })),
    timeAt: (percent) => between(corners, { percent: clamp(percent) }),
  };
}

type Corner = Record<"time" | "percent", number>;

/** The other coordinate, on the line through the corners. */
function between(corners: readonly Corner[], given: { time: number } | { percent: number }): number {
  const [key, value, at] =
    "time" in given ? (["time", "percent", given.time] as const) : (["percent", "time", given.percent] as const);
  const next = corners.findIndex((corner) => corner[key] >= at);
  const right = corners[next] ?? corners.at(-1);
  const left = corners[next - 1];
  if (!right) return 0;
  if (!left || right[key] === left[key]) return right[value];
  return left[value] + ((at - left[key]) / (right[key] - left[key])) * (right[value] - left[value]);
}

/** Spans that touch or overlap become one; empty ones are dropped. */
export function joinStretches(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches.filter(({ from, to }) => to > from).toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last && stretch.from <= last.to) last.to = Math.max(last.to, stretch.to);
    else joined.push({ ...stretch });
  }
  return joined;
}

const clamp = (percent: number): number => Math.min(100, Math.max(0, percent));
