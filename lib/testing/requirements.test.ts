import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { REQUIREMENTS } from "@/e2e/requirements";

const root = path.resolve(import.meta.dirname, "../..");
const FOLDERS = "{app,components,docs,e2e,lib,scripts}";
/** A skipped test proves nothing, so what it cites counts as uncited. */
const SWITCHED_OFF = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|fixme|todo)\((?:verifies\("[^"]*",\s*)+/g;
const CITATION = /\bverifies\(\s*"([^"]*)"/g;

function citations(): { id: string; file: string }[] {
  const files = globSync([`${FOLDERS}/**/*.test.{ts,tsx}`, `${FOLDERS}/**/*.spec.ts`], { cwd: root });
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), "utf8").replaceAll(SWITCHED_OFF, "");
    return [...text.matchAll(CITATION)].map(([, id = ""]) => ({ id, file }));
  });
}

const own = path.relative(root, import.meta.filename);

test("every promise is cited by a test that would fail without it", () => {
  const cited = new Set(
    citations()
      .filter(({ file }) => file !== own)
      .map(({ id }) => id),
  );
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});

test("no test cites a promise that nobody made", () => {
  const unknown = citations().filter(({ id, file }) => file !== own && !(id in REQUIREMENTS));
  expect(unknown).toEqual([]);
});

test("each promise is one sentence, said once", () => {
  const sentences = Object.values(REQUIREMENTS);
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
