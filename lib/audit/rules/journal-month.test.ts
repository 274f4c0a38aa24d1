import { expect, test } from "vitest";
import { monthOf, readMonth } from "@/lib/audit/rules/journal-month";

test("months begin and end in UTC, and follow each other without a gap, over the end of a year too", () => {
  const months = [0, 1, 2].map((later) => monthOf(new Date("2026-11-30T23:59:59.999Z"), later));
  expect(months.map(({ name }) => name)).toEqual(["journal_2026_11", "journal_2026_12", "journal_2027_01"]);
  expect(months[0]!.from.toISOString()).toBe("2026-11-01T00:00:00.000Z");
  expect(months.slice(1).map(({ from }) => from)).toEqual(months.slice(0, -1).map(({ to }) => to));
});

test("a month is read from the name of its partition, and from no other name", () => {
  expect(readMonth("journal_2026_02")).toEqual(monthOf(new Date("2026-02-14T00:00:00.000Z")));
  for (const name of ["journal_other", "journal_2026_13", "journal_2026_01_detached", "journal"])
    expect(readMonth(name)).toBeNull();
});
