import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { serverSchema } from "@/lib/config/server-schema";
import { createToolNames } from "./tool-names";
import { LOAD_TOOLSET } from "./toolsets";

test.each([
  "githu\u042C",
  "git\u200Bhub",
  "g\u0456thub",
  "GitHub",
  "git hub",
  "git.hub",
  "kimitsu/files",
  "mcp__github",
  "",
  "-",
  "ｇithub",
])(verifies("attack:shadowing", "a server cannot call itself %j: names may not contain lookalike letters"), (name) => {
  expect(serverSchema.safeParse({ name, url: "https://example.org/mcp" }).success).toBe(false);
});

test(
  verifies(
    "attack:shadowing",
    "tools of two servers with the same name stay apart, and none replaces what Kimitsu itself offers",
  ),
  () => {
    const tools = [
      { server: "bank", tool: "pay" },
      { server: "shop", tool: "pay" },
      { server: "shop", tool: LOAD_TOOLSET },
      { server: "shop", tool: "agent__worker" },
      { server: "shop", tool: "mcp__bank__pay" },
      { server: "shop", tool: "bank__pay" },
    ];
    const names = createToolNames(tools);
    const offered = tools.map((tool) => names.toModel(tool));
    expect(new Set(offered).size).toBe(tools.length);
    expect(offered).not.toContain(LOAD_TOOLSET);
    for (const name of offered) expect(name).toMatch(/^mcp__/);
    for (const [index, tool] of tools.entries()) expect(names.fromModel(offered[index]!)).toEqual(tool);
  },
);
