import { expect, it } from "vitest";
import { readTrailQuery, toTrailFilter } from "./filter";

it("reads a time without a zone as UTC, and a day as its first moment", () => {
  const { filter, problems } = toTrailFilter(readTrailQuery({ from: "2026-03-01T09:30", to: "2026-03-02" }));
  expect(problems).toEqual([]);
  expect(filter.from?.toISOString()).toBe("2026-03-01T09:30:00.000Z");
  expect(filter.to?.toISOString()).toBe("2026-03-02T00:00:00.000Z");
});

it("keeps a zone that was given", () => {
  expect(toTrailFilter({ from: "2026-03-01T09:30+02:00" }).filter.from?.toISOString()).toBe("2026-03-01T07:30:00.000Z");
});

it("reports a time it cannot read and leaves it out", () => {
  const { filter, problems } = toTrailFilter({ from: "yesterday" });
  expect(filter.from).toBeUndefined();
  expect(problems).toEqual(["“from” is not a time: yesterday. Write it as 2026-01-31T09:30."]);
});

it("takes empty and repeated parameters as absent", () => {
  expect(readTrailQuery({ type: "", actor: ["a", "b"], chain: " system " })).toEqual({ chain: "system" });
});
