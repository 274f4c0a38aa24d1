import { describe, expect, test } from "vitest";
import { formatHistoryQuery, isFiltered, readHistoryQuery, toHistoryFilter } from "./filter";

const NOW = new Date("2026-02-10T12:00:00.000Z");

describe("the filter in the address of History", () => {
  test("takes each value once and leaves out empty, repeated and unknown ones", () => {
    const query = readHistoryQuery({ workflow: "support", status: "failed", who: "", agent: ["a", "b"], other: "x" });
    expect(query).toMatchObject({ workflow: "support", status: "failed", who: undefined, agent: undefined });
    expect(isFiltered(query)).toBe(true);
    expect(isFiltered(readHistoryQuery({ other: "x" }))).toBe(false);
  });

  test("reads times as UTC", () => {
    const { filter, problems } = toHistoryFilter({ from: "2026-01-31T09:30", to: "2026-02-01" }, NOW);
    expect([filter.from?.toISOString(), filter.to?.toISOString()]).toEqual([
      "2026-01-31T09:30:00.000Z",
      "2026-02-01T00:00:00.000Z",
    ]);
    expect(problems).toEqual([]);
  });

  test("counts a period back from now, and the later of two beginnings applies", () => {
    const begin = (query: Parameters<typeof toHistoryFilter>[0]) =>
      toHistoryFilter(query, NOW).filter.from?.toISOString();
    expect(begin({ last: "24h" })).toBe("2026-02-09T12:00:00.000Z");
    expect(begin({ last: "7d", from: "2026-02-08" })).toBe("2026-02-08T00:00:00.000Z");
    expect(begin({ last: "1h", from: "2026-02-08" })).toBe("2026-02-10T11:00:00.000Z");
  });

  test("reads costs as dollars", () => {
    expect(toHistoryFilter({ cost_min: "0.25", cost_max: "10" }, NOW)).toMatchObject({
      filter: { costMin: 0.25, costMax: 10 },
      problems: [],
    });
  });

  test("names what it cannot read, with what would be correct, and guesses nothing", () => {
    const { filter, problems } = toHistoryFilter(
      { from: "yesterday", status: "broken", cost_min: "1e9", cost_max: "-3", last: "constructor" },
      NOW,
    );
    expect(filter).toMatchObject({ from: undefined, status: undefined, costMin: undefined, costMax: undefined });
    expect(problems).toHaveLength(5);
    expect(problems.join(" ")).toMatch(
      /broken.*failed.*constructor.*24h.*yesterday.*2026-01-31T09:30.*1e9.*0\.25.*-3/s,
    );
  });

  test("takes what runs need of people for a status of its own, whatever theirs is", () => {
    expect(toHistoryFilter({ status: "to_review_or_settle" }, NOW)).toMatchObject({
      filter: { status: undefined, needs: ["review", "settle"] },
      problems: [],
    });
    expect(toHistoryFilter({ status: "to_settle" }, NOW).filter.needs).toEqual(["settle"]);
    expect(toHistoryFilter({ status: "failed" }, NOW).filter.needs).toBeUndefined();
  });

  test("is written one way, whatever order it was typed in", () => {
    const [one, other] = [
      readHistoryQuery({ status: "failed", q: "a b" }),
      readHistoryQuery({ q: "a b", status: "failed", cursor: "run_1" }),
    ];
    expect(formatHistoryQuery(one)).toBe("q=a+b&status=failed");
    expect(formatHistoryQuery(other)).toBe(formatHistoryQuery(one));
    expect(formatHistoryQuery({})).toBe("");
  });
});
