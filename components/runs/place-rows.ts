export type Place = { index: number } | { gap: number; before: number };

/** The rendered rows, with gaps for all others: those from `from` up to `to`, and the one that is kept. */
export function placeRows(
  { from, to, rowHeight }: { from: number; to: number; rowHeight: number },
  count: number,
  kept: number,
): Place[] {
  // Nothing was measured yet, so that a gap would have no height.
  const [first, end] = rowHeight === 0 ? [0, count] : [Math.min(from, count), Math.min(to, count)];
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset);
  if (kept >= 0 && kept < first) indexes.unshift(kept);
  if (kept >= end && kept < count) indexes.push(kept);
  const places: Place[] = [];
  let next = 0;
  for (const index of [...indexes, count]) {
    if (index > next) places.push({ gap: index - next, before: index });
    if (index < count) places.push({ index });
    next = index + 1;
  }
  return places;
}
