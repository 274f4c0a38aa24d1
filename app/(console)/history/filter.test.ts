import { describe, expect, test } from "vitest";
import { isFiltered, readHistoryQuery, toHistoryFilter } from "./filter";

describe("the filter in the address of History", () => {
  test("takes each value once and leaves out empty, repeated and unknown ones", () => {
    const query = readHistoryQuery({ workflow: "support", status: "failed", who: "", agent: ["a", "b"], other: "x" });
    expect(query).toMatchObject({ workflow: "support", status: "failed", who: undefined, agent: undefined });
    expect(isFiltered(query)).toBe(true);
    expect(isFiltered(readHistoryQuery({ other: "x" }))).toBe(false);
  });

  test("reads times as UTC", () => {
    const { filter, problems } = toHistoryFilter({ from: "2026-01-31T09:30", to: "2026-02-01" });
    expect([filter.from?.toISOString(), filter.to?.toISOString()]).toEqual(["2026-01-31T09:30:00.000Z", "2026-02-01T00:00:00.000Z"]);
    expect(problems).toEqual([]);
  });

  test("names what it cannot read, with what would be right, and guesses nothing", () => {
    const { filter, problems } = toHistoryFilter({ from: "yesterday", status: "broken" });
    expect(filter).toMatchObject({ from: undefined, status: undefined });
    expect(problems).toHaveLength(2);
    expect(problems.join(" ")).toMatch(/broken.*failed.*yesterday.*2026-01-31T09:30/s);
  });
});
