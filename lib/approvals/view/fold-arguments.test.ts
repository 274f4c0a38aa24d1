import { expect, it } from "vitest";
import { foldArguments, isFolded } from "./fold-arguments";
import { showArguments } from "./show-arguments";

const foldedOf = (args: unknown) =>
  foldArguments(showArguments(args))
    .filter(isFolded)
    .map(({ path }) => path);

it("folds a text of more than 600 characters as shown, and no shorter one", () => {
  expect(foldedOf({ short: "x".repeat(600), long: "x".repeat(601) })).toEqual(["long"]);
  // Each of these is shown as the eight characters of its code.
  expect(foldedOf({ hidden: "\u200B".repeat(76), few: "\u200B".repeat(75) })).toEqual(["hidden"]);
});

it("folds a list of many long items, not one of many short ones or of a few", () => {
  const items = (count: number, length: number) => Array.from({ length: count }, () => "x".repeat(length));
  expect(foldedOf({ long: items(9, 100), short: items(40, 5), few: items(8, 1000) })).toEqual(["long"]);
});

it("folds what comes after the fortieth argument", () => {
  const args = Object.fromEntries(
    Array.from({ length: 42 }, (_, place) => [`a${String(place).padStart(2, "0")}`, place]),
  );
  expect(foldedOf(args)).toEqual(["a40", "a41"]);
});
