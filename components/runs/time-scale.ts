export interface Stretch {
  from: number;
  to: number;
}

export interface TimeScale {
  /** Percent of the width, from 0 to 100. */
  place(time: number): number;
  /** True when time in which nothing worked is drawn shorter than it was. */
  isFolded: boolean;
}

/** More quiet time than this part of the whole is folded, so that two seconds of work stay visible beside three days of waiting. */
const QUIET_PART_MAX = 0.4;
/** What all quiet time together then gets of the width. */
const QUIET_WIDTH = 30;

export function buildScale(whole: Stretch, busy: readonly Stretch[]): TimeScale {
  const total = Math.max(1, whole.to - whole.from);
  const worked = joinStretches(busy.map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) })));
  const workedMs = worked.reduce((sum, { from, to }) => sum + to - from, 0);
  const quietMs = total - workedMs;
  if (workedMs === 0 || quietMs / total <= QUIET_PART_MAX) {
    return { isFolded: false, place: (time) => clamp(((time - whole.from) / total) * 100) };
  }
  const busyRate = (100 - QUIET_WIDTH) / workedMs;
  const quietRate = QUIET_WIDTH / quietMs;
  return {
    isFolded: true,
    place: (time) => {
      const until = Math.min(Math.max(time, whole.from), whole.to);
      const before = worked.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, until) - from), 0);
      return clamp(before * busyRate + (until - whole.from - before) * quietRate);
    },
  };
}

/** Stretches that touch or overlap become one; empty ones go. */
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
