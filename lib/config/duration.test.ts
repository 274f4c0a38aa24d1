import { describe, expect, it } from "vitest";
import { durationSchema, formatDuration, readDuration } from "./duration";

describe("durations", () => {
  it.each([
    ["250ms", 250],
    ["45s", 45_000],
    ["30m", 1_800_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
  ])("%s is %d ms", (text, ms) => {
    expect(durationSchema().parse(text)).toBe(ms);
    expect(formatDuration(ms)).toBe(text);
  });

  it("90 minutes are not rounded to hours", () => expect(formatDuration(5_400_000)).toBe("90m"));

  it.each([
    [30, "has no unit"],
    ["30", "write a whole number and a unit"],
    ["1.5h", "not a duration"],
    ["-5s", "not a duration"],
    ["5 s", "not a duration"],
    ["5S", "not a duration"],
    ["", "not a duration"],
    ["5w", '"45s", "30m", "2h" or "7d"'],
    ["0s", 'the shortest is "1ms"'],
    ["366d", 'the longest is "365d"'],
    ["999999999999999d", "too long"],
    [null, "expected"],
    [["5s"], "expected"],
  ])("%j is refused, with what would be right", (text, message) => {
    expect(readDuration(text)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
    expect(durationSchema().safeParse(text).error?.issues[0]?.message).toContain(message);
  });

  it("bounds are part of the message", () => {
    expect(readDuration("2h", { maxMs: 3_600_000 })).toEqual({
      ok: false,
      message: '"2h" is too long; the longest is "1h"',
    });
    expect(readDuration("1s", { minMs: 5_000 })).toEqual({
      ok: false,
      message: '"1s" is too short; the shortest is "5s"',
    });
  });
});
