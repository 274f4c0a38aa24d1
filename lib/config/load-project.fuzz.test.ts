/** Whatever is in the files, the loader returns, never throws, and never returns a project together with an error. */
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { loadProject } from "./load-project";
import type { ValuePath } from "./problem";
import { ProjectFixture, type Files } from "./project-fixture";

const DEMO = path.resolve(import.meta.dirname, "../../kimitsu");
const OPTIONS = { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} };
const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const FILES = Object.fromEntries(
  loadProject(DEMO, OPTIONS).files.map(({ file }) => [
    file,
    parse(readFileSync(path.join(DEMO, file), "utf8")) as unknown,
  ]),
);

function listPaths(value: unknown, base: ValuePath = []): ValuePath[] {
  const children = value !== null && typeof value === "object" ? Object.entries(value) : [];
  return [
    base,
    ...children.flatMap(([key, child]) => listPaths(child, [...base, Array.isArray(value) ? Number(key) : key])),
  ];
}

function replaceAt(value: unknown, [step, ...rest]: ValuePath, change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[step] = replaceAt(copy[step], rest, change);
  return copy;
}

const text = fc.constantFrom(
  "{{ params.x }}",
  "{{ env.SHOP_KEY }}",
  "{{ step.act.summary }}",
  "{{ item }}",
  "{{",
  "env:SHOP_KEY",
  "step.act.summary",
  "../x",
  "agents/clerk.agent.yaml",
  "*",
  "",
  "kimitsu/files",
  "constructor",
  "__proto__",
  "toString",
);
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  text,
  fc.dictionary(text, fc.oneof(text, fc.integer())),
  fc.array(text),
);
const place = fc.constantFrom(
  ...Object.entries(FILES).flatMap(([file, value]) => listPaths(value).map((at) => ({ file, at }))),
);

it("any value of the demo may be replaced by any other", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(place, junk), { minLength: 1, maxLength: 3 }), (changes) => {
      const files: Files = { ...FILES };
      for (const [{ file, at }, value] of changes) {
        try {
          files[file] = replaceAt(files[file], at, () => value);
        } catch {
          return; // An earlier change removed what this one would change.
        }
      }
      const { project, problems } = fixture.load(files);
      expect(project === null).toBe(problems.some((problem) => problem.severity === "error"));
      for (const problem of problems) expect(problem.line).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});
