import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";

/** Whoever is not signed in yet, or is about to be signed out, has no right that could be asked for. */
const OPEN = new Set(["(public)/sign-in/actions.ts", "(console)/sign-out.ts"]);

const files = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
  .map((file) => ({ file: file.split(path.sep).join("/"), text: readFileSync(path.join("app", file), "utf8") }))
  .filter(({ text }) => /^\s*"use server";/m.test(text));

test(
  verifies(
    "access:refused",
    "every server action asks for a session or a right before anything else: its address can be called by anyone",
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

test("no server action stands inside a component, where this test would not see it", () => {
  expect(files.filter(({ text }) => !text.startsWith('"use server";')).map(({ file }) => file)).toEqual([]);
});
