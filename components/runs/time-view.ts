/** The part of a drawing that is shown, in percent of its whole width. */
export interface TimeView {
  from: number;
  to: number;
}

export const WHOLE_VIEW: TimeView = { from: 0, to: 100 };

/** Narrower than this part of the whole shows nothing more, only thicker. */
const NARROWEST = 0.02;

/** Where something at this percent of the whole stands in the view; outside of 0 to 100 it is not seen. */
export function placeInView({ from, to }: TimeView, percent: number): number {
  return ((percent - from) / (to - from)) * 100;
}

/**
 * So many times closer, or further away below 1, around a place in the view that stays where it is (0 is its left side,
 * 1 its right).
 */
export function zoomView(view: TimeView, factor: number, at = 0.5): TimeView {
  const width = view.to - view.from;
  const next = Math.min(100, Math.max(NARROWEST, width / factor));
  return keepInside(view.from + (width - next) * at, next);
}

/** Later by a part of what is shown, or earlier below 0. */
export function moveView(view: TimeView, part: number): TimeView {
  const width = view.to - view.from;
  return keepInside(view.from + width * part, width);
}

/** What lies between two places in the view, given in any order. */
export function selectInView(view: TimeView, one: number, other: number): TimeView {
  const width = view.to - view.from;
  const [left, right] = [Math.max(0, Math.min(one, other)), Math.min(1, Math.max(one, other))];
  return keepInside(view.from + width * left, Math.max(NARROWEST, width * (right - left)));
}

export function isWhole({ from, to }: TimeView): boolean {
  return to - from >= 100;
}

function keepInside(from: number, width: number): TimeView {
  const left = Math.min(Math.max(0, from), 100 - width);
  return { from: left, to: left + width };
}
