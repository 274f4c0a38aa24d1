import { describe, expect, test } from "vitest";
import { readPeriod } from "./period";
import { addDays, dayAt, parseDay, startOfDay } from "../zone-days";

const now = new Date("2026-03-30T23:30:00Z");
const read = (params: Record<string, string>, zone = "UTC") => readPeriod(params, { now, zone });

describe("the days of a zone", () => {
  test("begin at its own midnight, winter and summer", () => {
    expect(startOfDay("2026-01-01", "Europe/Berlin").toISOString()).toBe("2025-12-31T23:00:00.000Z");
    expect(startOfDay("2026-07-01", "Europe/Berlin").toISOString()).toBe("2026-06-30T22:00:00.000Z");
    expect(startOfDay("2026-01-01", "Asia/Kathmandu").toISOString()).toBe("2025-12-31T18:15:00.000Z");
    expect(dayAt(now, "Asia/Tokyo")).toBe("2026-03-31");
  });

  test("follow each other without gap or overlap through a whole year, also where midnight is skipped", () => {
    for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Asia/Beirut", "Pacific/Apia"]) {
      for (let n = 0; n < 366; n++) {
        const day = addDays("2026-01-01", n);
        const start = startOfDay(day, zone);
        expect(dayAt(start, zone), `${day} in ${zone}`).toBe(day);
        expect(dayAt(new Date(start.getTime() - 1), zone), `before ${day} in ${zone}`).toBe(addDays(day, -1));
      }
    }
  });

  test("exist, or are refused", () => {
    expect(["2026-02-29", "2024-02-29", "2026-2-1", "yesterday"].map(parseDay)).toEqual([
      null,
      "2024-02-29",
      null,
      null,
    ]);
  });
});

describe("the period in the address of Insights", () => {
  test("is the last thirty days with today, in the reader's zone", () => {
    const { period, problems } = read({}, "Asia/Tokyo");
    expect(period).toMatchObject({
      choice: "30",
      firstDay: "2026-03-02",
      lastDay: "2026-03-31",
      unit: "day",
      parts: { length: 30 },
    });
    expect(period.from.toISOString()).toBe("2026-03-01T15:00:00.000Z");
    expect(problems).toEqual([]);
    expect(read({ days: "7" }).period.firstDay).toBe("2026-03-24");
  });

  test("can be any days, both counted; a long one has a bar for each week, and the last week ends with the period", () => {
    expect(read({ from: "2026-01-01", to: "2026-01-01" }).period).toMatchObject({
      choice: null,
      parts: { length: 1 },
      to: new Date("2026-01-02"),
    });
    const { period } = read({ from: "2026-01-01", to: "2026-04-10" });
    expect(period).toMatchObject({ unit: "week", parts: { length: 15 } });
    expect(period.parts.at(-1)).toEqual({
      day: "2026-04-09",
      from: new Date("2026-04-09"),
      to: new Date("2026-04-11"),
    });
    expect(read({ to: "2026-03-01" }).period).toMatchObject({ firstDay: "2026-01-31", lastDay: "2026-03-01" });
  });

  test("that cannot be read is named, with what would be correct", () => {
    for (const [params, says] of [
      [{ days: "12" }, /7, 30, 90/],
      [{ from: "soon" }, /2026-01-31/],
      [{ from: "2026-03-02", to: "2026-03-01" }, /after/],
      [{ from: "2020-01-01", to: "2026-03-01" }, /at most 366/],
    ] as const) {
      const { period, problems } = read(params as Record<string, string>);
      expect(problems.join(), JSON.stringify(params)).toMatch(says);
      expect(period.choice).toBe("30");
    }
  });
});
