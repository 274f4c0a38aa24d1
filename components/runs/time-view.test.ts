import { describe, expect, test } from "vitest";
import { isWhole, moveView, placeInView, selectInView, WHOLE_VIEW, zoomView } from "./time-view";

describe("the part of a timeline that is shown", () => {
  test("zooms in around the place that is pointed at", () => {
    expect(zoomView(WHOLE_VIEW, 2)).toEqual({ from: 25, to: 75 });
    expect(zoomView(WHOLE_VIEW, 4, 0)).toEqual({ from: 0, to: 25 });
    const view = zoomView({ from: 20, to: 60 }, 2, 0.75);
    expect(placeInView(view, 50)).toBeCloseTo(75);
  });

  test("never leaves the whole, and never gets narrower than can be seen", () => {
    expect(zoomView({ from: 80, to: 100 }, 0.5)).toEqual({ from: 60, to: 100 });
    expect(isWhole(zoomView({ from: 40, to: 60 }, 0.001))).toBe(true);
    const narrow = zoomView(WHOLE_VIEW, 1e9);
    expect(narrow.to - narrow.from).toBeCloseTo(0.02);
  });

  test("moves by a part of what is shown and stops at the ends", () => {
    expect(moveView({ from: 40, to: 60 }, 0.5)).toEqual({ from: 50, to: 70 });
    expect(moveView({ from: 40, to: 60 }, 9)).toEqual({ from: 80, to: 100 });
    expect(moveView({ from: 40, to: 60 }, -9)).toEqual({ from: 0, to: 20 });
  });

  test("is what was dragged across, in either direction and however far outside it ended", () => {
    expect(selectInView({ from: 50, to: 100 }, 0.5, 0)).toEqual({ from: 50, to: 75 });
    expect(selectInView(WHOLE_VIEW, 0.9, 1.4)).toEqual({ from: 90, to: 100 });
  });
});
