import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";

/** People who are not signed in yet, or are about to be signed out, have no permission to check. */
const OPEN = new Set(["(public)/sign-in/actions.ts", "(console)/sign-out.ts"]);

const files = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
  .map((file) => ({ file: file.split(path.sep).join("/"), text: readFileSync(path.join("app", file), "utf8") }))
  .filter(({ text }) => /^\s*"use server";/m.test(text));

test(
  verifies(
    "access:refused",
    "every server action checks a session or a permission first: its address can be called by anyone",
  ),
  () => {
    const actions = files.flatMap(({ file, text }) =>
      [...text.matchAll(/^export (?:async function (\w+)|(?:const|default) (\w+)).*\n(.*)$/gm)].map(
        ([, name, other, first = ""]) => ({ file, name: name ?? other, first: first.trim() }),
      ),
    );
    expect(actions.length).toBeGreaterThan(10);
    const unguarded = actions.filter(
      ({ file, first }) =>
        !OPEN.has(file) &&
        !/^(const (session|\{ [a-z, ]+ \}) = )?await require(Session\(\)|Permission\("[a-z:]+"\));$/.test(first),
    );
    expect(unguarded).toEqual([]);
  },
);

test("no server action is inside a component, where this test would not find it", () => {
  expect(files.filter(({ text }) => !text.startsWith('"use server";')).map(({ file }) => file)).toEqual([]);
});
