import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";

const text = readFileSync("SECURITY.md", "utf8");
const rows = [...text.matchAll(/^\| (\d+) \|([^|]*)\|([^|]*)\|/gm)].map(([, number, attack = "", tests = ""]) => ({
  number: Number(number),
  attack: attack.trim(),
  tests: [...tests.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
}));

test(
  verifies("attack:map", "every class of attack has a row with at least one test, without gaps in the numbers"),
  () => {
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.length).toBeGreaterThanOrEqual(26);
    expect(rows.filter(({ tests }) => tests.length === 0).map(({ attack }) => attack)).toEqual([]);
  },
);

test.each([...new Set(rows.flatMap(({ tests }) => tests))])(
  verifies("attack:map", "%s exists and holds tests"),
  (file) => {
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toMatch(/\b(test|it)(\.each\([\s\S]*?\))?\(/);
  },
);
