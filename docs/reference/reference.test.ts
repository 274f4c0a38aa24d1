import { readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "@/lib/cli/program";
import { OPERATIONS } from "@/lib/http/operations";

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, file), "utf8");

test("the written reference of the API names every operation with what it needs, and no other", () => {
  const written = [...read("api.md").matchAll(/^\| `(GET|POST) (\/[^`]*)` \| `?([^|`]+)`? \|/gm)].map(
    ([, method, url, needs]) => `${method} ${url} ${needs!.trim()}`,
  );
  expect(written.sort()).toEqual(
    OPERATIONS.map(({ method, path: url, permission }) => `${method} ${url} ${permission}`).sort(),
  );
});

test("the written reference of the command line names every command with its options, and no other command", () => {
  const text = read("cli.md");
  const commands = createProgram()
    .commands.flatMap((command) => [command, ...command.commands])
    .filter((command) => command.name() !== "bootstrap" && command.name() !== "help");
  const nameOf = (command: Command) =>
    [command.parent?.name() === "kimitsu" ? "" : command.parent?.name(), command.name()].filter(Boolean).join(" ");
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [/^`kimitsu ([a-z -]+?)(?: <.*)?`/.exec(section)?.[1], section]),
  );
  expect([...sections.keys()].sort()).toEqual(commands.map(nameOf).sort());
  for (const command of commands) {
    for (const { long } of command.options)
      expect(sections.get(nameOf(command)), nameOf(command)).toContain(`\`${long}`);
  }
});
