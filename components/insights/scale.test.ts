import { describe, expect, test } from "vitest";
import { countScale, placeSlots, waitScale } from "./scale";

describe("scales", () => {
  test("end at a round number that holds the largest count", () => {
    expect([0, 1, 3, 7, 10, 11, 48, 120].map((max) => countScale(max).ticks.at(-1))).toEqual([
      1, 1, 3, 8, 10, 20, 60, 200,
    ]);
    expect(countScale(7).place(4)).toBe(0.5);
  });

  test("hold every wait between familiar durations", () => {
    for (const waits of [[0], [40], [500, 900], [4_000, 80_000], [60_000], [1, 400 * 86_400_000]]) {
      const scale = waitScale(waits);
      expect(scale.ticks.length).toBeGreaterThan(1);
      for (const wait of waits) expect(scale.place(wait)).toSatisfy((place: number) => place >= 0 && place <= 1);
      expect(scale.ticks.map(scale.place)).toEqual(scale.ticks.map(scale.place).toSorted((one, other) => one - other));
    }
    expect(waitScale([4_000, 80_000]).ticks).toEqual([1_000, 10_000, 60_000, 600_000]);
  });

  test("slots fill the width without touching, and the last one is always named", () => {
    for (const count of [1, 7, 30, 90, 53]) {
      const slots = placeSlots(count);
      expect(slots).toHaveLength(count);
      for (const [index, slot] of slots.slice(1).entries())
        expect(slot.left).toBeGreaterThan(slots[index]!.left + slots[index]!.width);
      expect(slots.at(-1)).toMatchObject({ isNamed: true, isNamedOnPhone: true });
      expect(slots.filter(({ isNamedOnPhone }) => isNamedOnPhone).length).toBeLessThanOrEqual(5);
      expect(slots.filter(({ isNamedOnPhone, isNamed }) => isNamedOnPhone && !isNamed)).toEqual([]);
    }
  });
});
