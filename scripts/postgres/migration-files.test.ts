import { expect, test } from "vitest";
import { refuseWrongStamps } from "./migration-files.mjs";

const NOW = new Date("2026-11-18T12:00:00.000Z");
const FIRST = "20261118000000_record";

test("migrations with stamps of their own, none from the future, are accepted", () => {
  expect(() => refuseWrongStamps([FIRST, "20261118120000_now"], NOW)).not.toThrow();
});

test.each([
  ["20261118000000_second", /20261118000000_second has the stamp of 20261118000000_record/],
  ["20261118120001_later", /20261118120001_later has a stamp that lies in the future/],
  ["2_two", /2_two does not begin with a stamp such as 20261118120000/],
])("%s next to another is refused, with the reason", (name, reason) => {
  expect(() => refuseWrongStamps([FIRST, name], NOW)).toThrow(reason);
});
