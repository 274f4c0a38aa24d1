import { describe, expect, test } from "vitest";
import { pickerValue, placeOf, settleTimes } from "./picked-times";

describe("times that were picked", () => {
  test("become the moments that the reader's clock means, winter and summer, and a day its first moment", () => {
    expect(settleTimes({ from: "2026-01-31T09:30", to: "2026-07-01" }, "Europe/Berlin")).toEqual({
      from: "2026-01-31T08:30:00.000Z",
      to: "2026-06-30T22:00:00.000Z",
    });
    expect(settleTimes({ type: "user", from: "2026-01-31T09:30" }, "UTC")).toEqual({
      type: "user",
      from: "2026-01-31T09:30:00.000Z",
      to: undefined,
    });
  });

  test("that the clock skips become the moment after the gap, and repeated ones the first", () => {
    expect(settleTimes({ from: "2026-03-29T02:30" }, "Europe/Berlin")?.from).toBe("2026-03-29T01:00:00.000Z");
    expect(settleTimes({ from: "2026-10-25T02:30" }, "Europe/Berlin")?.from).toBe("2026-10-25T00:30:00.000Z");
  });

  test("stay as they are with a zone of their own, and when they are no times", () => {
    expect(settleTimes({ from: "2026-01-31T09:30Z", to: "2026-01-31T09:30+02:00" }, "Asia/Tokyo")).toBeNull();
    expect(settleTimes({ from: "yesterday", to: "2026-02-31T99:00" }, "Asia/Tokyo")).toBeNull();
    expect(settleTimes({}, "Asia/Tokyo")).toBeNull();
  });

  test("are shown in the picker in the reader's time zone", () => {
    expect(pickerValue("2026-01-31T08:30:00.000Z", "Europe/Berlin")).toBe("2026-01-31T09:30");
    expect(pickerValue("yesterday", "Europe/Berlin")).toBeUndefined();
    expect(pickerValue(undefined, "Europe/Berlin")).toBeUndefined();
    expect(["America/Argentina/Buenos_Aires", "UTC"].map(placeOf)).toEqual(["Buenos Aires", "UTC"]);
  });
});
