import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "./jmespath";

interface Suite {
  given: unknown;
  cases: { expression: string; result?: unknown; error?: string; bench?: string }[];
}

const folder = path.resolve(import.meta.dirname, "../../../shared/data/jmespath");
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
if (files.length === 0)
  console.info("The official JMESPath cases are not beside this project; the compliance test is skipped.");

describe.skipIf(files.length === 0)("the official JMESPath compliance cases", () => {
  it.each(files)("%s: every case gives the official result or the expected error", (file) => {
    const suites = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Suite[];
    for (const { given, cases } of suites) {
      for (const { expression, result, error, bench } of cases) {
        const run = () => compile(expression).evaluate(given);
        if (error) expect(run, expression).toThrow();
        else if (bench) expect(run, expression).not.toThrow();
        else expect(run(), expression).toEqual(result);
      }
    }
  });
});
