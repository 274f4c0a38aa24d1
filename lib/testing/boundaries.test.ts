import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";

const root = path.resolve(import.meta.dirname, "../..");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kimitsu-boundaries-"));
  copyFileSync(path.join(root, ".oxlintrc.json"), path.join(folder, ".oxlintrc.json"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the lint says of a file at this place with this content. */
function lint(file: string, content: string): string {
  const place = path.join(folder, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
  const { stdout } = spawnSync(path.join(root, "node_modules/.bin/oxlint"), ["-c", ".oxlintrc.json", file], { cwd: folder, encoding: "utf8" });
  return stdout;
}

const using = (specifier: string) => `import { thing } from "${specifier}";\nexport const used = thing;\n`;

test.each([
  ["lib/domain/rule.ts", "@/lib/store/client", "domain is pure"],
  ["lib/domain/rule.ts", "../store/client", "domain is pure"],
  ["lib/domain/rule.ts", "@/lib/engine/start-run", "domain is pure"],
  ["lib/domain/rule.ts", "@prisma/client", "Only lib/store imports Prisma"],
  ["lib/domain/rule.ts", "next/headers", "Only app, http and auth know Next"],
  ["lib/domain/rule.ts", "react", "Only app and components know React"],
  ["lib/domain/rule.ts", "@/lib/telemetry/metrics", "domain is pure"],
  ["lib/telemetry/span.ts", "@/lib/engine/start-run", "it knows nobody"],
  ["lib/telemetry/span.ts", "@/lib/domain/run-state", "it knows nobody"],
  ["lib/config/load.ts", "@/lib/store/client", "config reads YAML"],
  ["lib/config/load.ts", "@/lib/engine/start-run", "config reads YAML"],
  ["lib/tools/pool.ts", "@/lib/store/client", "only engine decides what is kept"],
  ["lib/models/gateway.ts", "@/lib/engine/start-run", "only engine decides what is kept"],
  ["lib/store/queries/list.ts", "@/lib/engine/start-run", "use cases are engine's"],
  ["lib/store/queries/list.ts", "next/headers", "Only app, http and auth know Next"],
  ["lib/engine/start-run.ts", "@/lib/http/route", "knows none of them"],
  ["lib/engine/start-run.ts", "@/lib/store/generated/client", "Only lib/store imports Prisma"],
  ["lib/worker/loop.ts", "@/lib/http/route", "without a web server"],
  ["lib/worker/loop.ts", "next/server", "Only app, http and auth know Next"],
  ["lib/http/route.ts", "@/lib/engine/start-run", "handed to them by app"],
  ["lib/http/route.ts", "@/lib/store/transitions/claim-run", "State changes go through an engine use case"],
  ["lib/auth/options.ts", "@/lib/engine/sign-in", "handed to them by app"],
  ["lib/auth/options.ts", "react", "Only app and components know React"],
  ["components/runs/table.tsx", "@/lib/ids", "from lib only types"],
  ["app/runs/route.ts", "@/lib/store/transitions/claim-run", "State changes go through an engine use case"],
  ["app/runs/route.ts", "@/lib/store/client", "holds no database client"],
  ["app/runs/route.ts", "@/lib/domain/run-state", "from domain only types"],
  ["app/runs/route.ts", "@prisma/client", "Only lib/store imports Prisma"],
  ["lib/cli/invoke.ts", "@/lib/store/transitions/claim-run", "State changes go through an engine use case"],
  ["lib/engine/start-run.ts", "@/lib/testing/builders", "for tests only"],
  ...["lib/engine/start-run.ts", "lib/models/gateway.ts", "lib/worker/loop.ts", "lib/cli/invoke.ts", "lib/http/route.ts", "lib/store/queries/list.ts", "app/runs/route.ts", "lib/demo/main.ts", "instrumentation-node.ts"].map((file) => [file, "@modelcontextprotocol/client", "the one way to a tool"]),
  ["lib/engine/start-run.ts", "@modelcontextprotocol/sdk/client/index.js", "the one way to a tool"],
] as [string, string, string][])(verifies("architecture:imports", "%s may not import %s"), (file, specifier, reason) => {
  expect(lint(file, using(specifier))).toContain(reason);
});

test.each([
  ["lib/domain/rule.ts", "@/lib/config/duration"],
  ["lib/store/queries/list.ts", "@prisma/client"],
  ["lib/engine/start-run.ts", "@/lib/store/transitions/claim-run"],
  ["lib/worker/loop.ts", "@/lib/engine/start-run"],
  ["lib/telemetry/open.ts", "@/lib/log"],
  ["lib/tools/call.ts", "@/lib/telemetry/span"],
  ["lib/tools/connection.ts", "@modelcontextprotocol/client"],
  ["lib/http/route.ts", "@/lib/store/queries/get-run"],
  ["app/runs/route.ts", "@/lib/engine/start-run"],
  ["app/runs/route.ts", "@/lib/store/queries/get-run"],
  ["app/runs/route.test.ts", "@/lib/testing/builders"],
])("%s may import %s", (file, specifier) => {
  expect(lint(file, using(specifier))).not.toContain("restricted");
});

test("components and app may take types from where they may not take values", () => {
  expect(lint("components/runs/table.tsx", 'import type { Run } from "@/lib/store/queries/get-run";\nexport type Row = Run;\n')).not.toContain("restricted");
  expect(lint("app/runs/page.tsx", 'import type { RunStatus } from "@/lib/domain/run-state";\nexport type Row = RunStatus;\n')).not.toContain("restricted");
});

test(verifies("architecture:pure", "domain has neither clock nor network nor environment"), () => {
  expect(lint("lib/domain/rule.ts", "export const at = Date.now();\n")).toContain("Time is an argument");
  expect(lint("lib/domain/rule.ts", 'export const answer = fetch("http://localhost");\n')).toContain("no I/O");
  expect(lint("lib/domain/rule.ts", "export const home = process.env.HOME;\n")).toContain("is an argument");
});

test(verifies("architecture:pure", "only lib/env.ts reads the environment"), () => {
  expect(lint("lib/engine/start-run.ts", "export const home = process.env.HOME;\n")).toContain("process.env");
  expect(lint("lib/env.ts", "export const home = process.env.HOME;\n")).not.toContain("process.env");
});
