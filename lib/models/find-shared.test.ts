import fc from "fast-check";
import { expect, test } from "vitest";
import { findShared } from "./find-shared";

test("finds exactly the substrings that occur in a source", () => {
  const text = fc.string({ maxLength: 60, unit: fc.constantFrom("a", "b", "é", "界") });
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 4 }), (short, sources) => {
      const starts = Array.from({ length: Math.max(0, short.length - 3) }, (_, at) => at);
      const expected = starts.filter((at) => sources.some((source) => source.includes(short.slice(at, at + 4))));
      expect([...new Set(findShared(short, sources, 4))].sort((a, b) => a - b)).toEqual(expected);
    }),
  );
});

test("a source that repeats the wanted text a million times is read once", () => {
  const source = "lorem ipsum dolor ".repeat(100_000);
  const found = findShared(source.slice(0, 1_200), [source], 12);
  // Without this bound the list would have over a hundred million entries.
  expect(found.length).toBe(1_200 - 11);
});
