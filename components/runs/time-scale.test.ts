import { describe, expect, test } from "vitest";
import { buildScale, joinStretches } from "./time-scale";

describe("the time scale of a run", () => {
  test("is true to time while most of it was work", () => {
    const scale = buildScale({ from: 1000, to: 2000 }, [{ from: 1000, to: 1900 }]);
    expect(scale.isFolded).toBe(false);
    expect([1000, 1500, 2000].map(scale.place)).toEqual([0, 50, 100]);
  });

  test("keeps two seconds of work visible beside three days of waiting", () => {
    const day = 86_400_000;
    const scale = buildScale({ from: 0, to: 3 * day + 2000 }, [
      { from: 0, to: 1000 },
      { from: 3 * day + 1000, to: 3 * day + 2000 },
    ]);
    expect(scale.isFolded).toBe(true);
    expect(scale.place(1000)).toBeCloseTo(35);
    expect(scale.place(3 * day + 1000)).toBeCloseTo(65);
    expect([scale.place(0), scale.place(3 * day + 2000)]).toEqual([0, 100]);
  });

  test("never runs backwards and never leaves the picture", () => {
    const scale = buildScale({ from: 0, to: 10_000 }, [
      { from: -500, to: 100 },
      { from: 4000, to: 4100 },
      { from: 9990, to: 12_000 },
    ]);
    const places = Array.from({ length: 120 }, (_, step) => scale.place(step * 100 - 1000));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([0, 100]);
  });

  test("gives the time at each place, folded or not", () => {
    for (const busy of [
      [{ from: 0, to: 9000 }],
      [
        { from: 100, to: 200 },
        { from: 8000, to: 8100 },
      ],
      [],
    ]) {
      const scale = buildScale({ from: 0, to: 10_000 }, busy);
      for (const percent of [0, 12.5, 40, 66, 99, 100]) expect(scale.place(scale.timeAt(percent))).toBeCloseTo(percent);
      expect([scale.timeAt(0), scale.timeAt(100)]).toEqual([0, 10_000]);
    }
  });

  test("a run without any length has a scale too", () => {
    expect(buildScale({ from: 5, to: 5 }, []).place(5)).toBe(0);
  });
});

test("spans that touch or overlap become one, and empty ones are dropped", () => {
  expect(
    joinStretches([
      { from: 5, to: 7 },
      { from: 0, to: 3 },
      { from: 3, to: 4 },
      { from: 6, to: 9 },
      { from: 20, to: 20 },
    ]),
  ).toEqual([
    { from: 0, to: 4 },
    { from: 5, to: 9 },
  ]);
});
