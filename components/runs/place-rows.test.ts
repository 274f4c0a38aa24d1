import { expect, test } from "vitest";
import { placeRows } from "./place-rows";

const shown = (from: number, to: number, count: number, kept = -1, rowHeight = 40) =>
  placeRows({ from, to, rowHeight }, count, kept)
    .map((place) => ("gap" in place ? `(${place.gap})` : String(place.index)))
    .join(" ");

test.each([
  ["all of a short list", shown(0, 24, 3), "0 1 2"],
  ["all, as long as nothing was measured", shown(0, 0, 3, -1, 0), "0 1 2"],
  ["the middle of a long one, with a gap on both sides", shown(4, 6, 10), "(4) 4 5 (4)"],
  ["the end", shown(8, 20, 10), "(8) 8 9"],
  ["the row that has the focus, above what is seen", shown(4, 6, 10, 1), "(1) 1 (2) 4 5 (4)"],
  ["and below", shown(4, 6, 10, 9), "(4) 4 5 (3) 9"],
  ["and within, once", shown(4, 6, 10, 5), "(4) 4 5 (4)"],
  ["nothing but a gap, scrolled past the end", shown(20, 30, 10), "(10)"],
  ["nothing of nothing", shown(0, 24, 0), ""],
])("%s", (_what, places, expected) => {
  expect(places).toBe(expected);
});
