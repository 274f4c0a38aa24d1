import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import config from "@/oxlint.config";

const root = path.resolve(import.meta.dirname, "../..");

const REASONS = {
  pure: "Pure files import config and each other",
  io: "Pure files have no I/O, no environment",
  prisma: "import Prisma or pg",
  next: "people/session know Next",
  react: "Only app and components know React",
  app: "Nothing imports app",
  climbing: "Other folders are named by @/",
  testing: "for tests only",
  client: "Only lib/tools speaks to tool servers",
  callTool: "Only dispatchCall calls a tool",
  telemetry: "it knows nobody",
  config: "config reads YAML",
  door: "asks for calls through ClientCalls",
  outside: "only use cases decide what is kept",
  builtin: "it knows of no run, and calls no tool",
  store: "make one statement true",
  useCases: "so they know none of them",
  worker: "runs without a web server",
  people: "nothing of runs",
  handedOver: "handed to them by app",
  noRuns: "http and people never import runs",
  transitions: "State changes go through a use case",
  cli: "an edge of its own",
  components: "from lib only types",
  appClient: "holds no database client",
  appPure: "from pure files only types",
} as const;

const EVERYWHERE: [string, keyof typeof REASONS][] = [
  ["@modelcontextprotocol/client", "client"],
  ["@modelcontextprotocol/sdk/client/index.js", "client"],
  ["@/lib/tools/call-tool", "callTool"],
  ["@/lib/testing/builders", "testing"],
  ["@prisma/client", "prisma"],
  ["@/lib/database/generated/client", "prisma"],
  ["pg", "prisma"],
];
const IN_LIB: [string, keyof typeof REASONS][] = [
  ...EVERYWHERE,
  ["react", "react"],
  ["@/components/ui/button", "react"],
  ["@/app/page", "app"],
  ["../other/file", "climbing"],
];
const BELOW: [string, keyof typeof REASONS][] = [...IN_LIB, ["next/headers", "next"], ["next-auth", "next"]];
const PURE = ["lib/runs/rules/rule.ts", "lib/policy/rule.ts", "lib/text/rule.ts", "lib/approvals/view/rule.ts"];
const STORE = [
  "lib/runs/queries/list.ts",
  "lib/approvals/transitions/decide.ts",
  "lib/runs/journal/commit.ts",
  "lib/database/client.ts",
];
const USE_CASES = [
  "lib/runs/start-run.ts",
  "lib/approvals/decide.ts",
  "lib/runs/advance/run-step.ts",
  "lib/tools/registry/keep-list.ts",
  "lib/audit/verify.ts",
  "lib/notices/send.ts",
  "lib/projects/open.ts",
];
const WEB = ["lib/http/route.ts", "lib/people/session/options.ts"];
const without = (list: [string, keyof typeof REASONS][], ...reasons: string[]) =>
  list.filter(([, reason]) => !reasons.includes(reason));

type Case = [file: string, specifier: string, reason: keyof typeof REASONS];
const forAll = (files: string[], list: [string, keyof typeof REASONS][]): Case[] =>
  files.flatMap((file) => list.map(([specifier, reason]): Case => [file, specifier, reason]));

const FORBIDDEN: Case[] = [
  ...forAll(PURE, [
    ...BELOW,
    ["@/lib/database/client", "pure"],
    ["@/lib/runs/start-run", "pure"],
    ["@/lib/people/queries/get-person", "pure"],
    ["@/lib/runs/transitions/claim-run", "pure"],
    ["@/lib/telemetry/metrics", "pure"],
    ["@/lib/models/gateway", "pure"],
    ["node:fs", "io"],
    ["@/lib/env", "io"],
  ]),
  ...forAll(STORE, [
    ...without(BELOW, "prisma"),
    ["@/lib/runs/start-run", "store"],
    ["@/lib/runs/worker/run-loop", "store"],
    ["@/lib/people/session/session", "store"],
    ["@/lib/tools/tool-pool", "store"],
    ["@/lib/models/gateway", "store"],
    ["@/lib/http/route", "store"],
    ["@/lib/cli/program", "store"],
  ]),
  ...forAll(USE_CASES, [
    ...BELOW,
    ["@/lib/http/route", "useCases"],
    ["@/lib/people/session/session", "useCases"],
    ["@/lib/cli/program", "useCases"],
    ["@/lib/runs/worker/run-loop", "useCases"],
  ]),
  ...forAll(
    ["lib/proxy/mcp-door.ts"],
    [
      ...BELOW,
      ["@/lib/http/route", "useCases"],
      ["@/lib/runs/worker/run-loop", "useCases"],
      ["@/lib/runs/journal/commit", "door"],
      ["@/lib/runs/changes/registry", "door"],
    ],
  ),
  ...forAll(["lib/runs/advance/dispatch-call.ts"], [...without(BELOW, "callTool"), ["@/lib/http/route", "useCases"]]),
  ...forAll(
    ["lib/people/create-user.ts"],
    [
      ...BELOW,
      ["@/lib/runs/start-run", "people"],
      ["@/lib/approvals/decide-approval", "people"],
      ["@/lib/http/route", "useCases"],
    ],
  ),
  ...forAll(
    ["lib/telemetry/span.ts"],
    [
      ...BELOW,
      ["@/lib/runs/start-run", "telemetry"],
      ["@/lib/runs/rules/run-state", "telemetry"],
      ["@/lib/config/project", "telemetry"],
    ],
  ),
  ...forAll(
    ["lib/config/load.ts"],
    [
      ...BELOW,
      ["@/lib/database/client", "config"],
      ["@/lib/runs/start-run", "config"],
      ["@/lib/tools/tool-pool", "config"],
    ],
  ),
  ...forAll(["lib/tools/pool.ts"], without(BELOW, "client")),
  ...forAll(["lib/models/gateway.ts"], BELOW),
  ...forAll(
    ["lib/tools/pool.ts", "lib/models/gateway.ts"],
    [
      ["@/lib/database/client", "outside"],
      ["@/lib/runs/start-run", "outside"],
      ["@/lib/tools/transitions/remember-tools", "outside"],
      ["@/lib/tools/registry/keep-list", "outside"],
    ],
  ),
  ...forAll(
    ["lib/tools/builtin/files/read.ts"],
    [
      ...BELOW,
      ["@/lib/database/client", "builtin"],
      ["@/lib/runs/start-run", "builtin"],
      ["@/lib/tools/tool-pool", "builtin"],
    ],
  ),
  ...forAll(
    ["lib/runs/worker/loop.ts"],
    [
      ...BELOW,
      ["@/lib/http/route", "worker"],
      ["@/lib/people/session/session", "worker"],
      ["@/lib/cli/program", "worker"],
    ],
  ),
  ...forAll(WEB, [
    ...IN_LIB,
    ["@/lib/people/sign-in-with-password", "handedOver"],
    ["@/lib/approvals/decide-approval", "handedOver"],
    ["@/lib/runs/queries/get-run", "noRuns"],
    ["@/lib/runs/start-run", "noRuns"],
    ["@/lib/people/transitions/create-user", "transitions"],
    ["@/lib/cli/program", "handedOver"],
  ]),
  ...forAll(
    ["lib/people/session/session.ts"],
    [
      ...without(IN_LIB, "react"),
      ["@/lib/people/sign-in-with-password", "handedOver"],
      ["@/lib/runs/queries/get-run", "noRuns"],
      ["@/lib/people/transitions/create-user", "transitions"],
    ],
  ),
  ...forAll(
    ["lib/cli/invoke.ts"],
    [
      ...BELOW,
      ["@/lib/runs/transitions/claim-run", "transitions"],
      ["@/lib/http/route", "cli"],
      ["@/lib/people/session/session", "cli"],
    ],
  ),
  ...forAll(
    ["components/runs/table.tsx"],
    [
      ...without(IN_LIB, "react", "prisma", "testing", "callTool"),
      ["@prisma/client", "prisma"],
      ["@/lib/ids", "components"],
      ["@/lib/runs/queries/get-run", "components"],
    ],
  ),
  ...forAll(
    ["app/runs/route.ts", "proxy.ts"],
    [
      ...EVERYWHERE,
      ["@/lib/runs/transitions/claim-run", "transitions"],
      ["@/lib/runs/journal/commit", "transitions"],
      ["@/lib/database/client", "appClient"],
      ["@/lib/runs/rules/run-state", "appPure"],
      ["@/lib/policy/decide", "appPure"],
      ["@/lib/text/digest", "appPure"],
    ],
  ),
  ...forAll(["lib/demo/main.ts"], BELOW),
  ...forAll(["instrumentation-node.ts"], EVERYWHERE),
];

const ALLOWED: [file: string, specifier: string][] = [
  ["lib/runs/rules/rule.ts", "@/lib/config/duration"],
  ["lib/policy/rule.ts", "@/lib/people/rules/roles"],
  ["lib/approvals/queries/list.ts", "@prisma/client"],
  ["lib/approvals/queries/list.ts", "@/lib/runs/queries/starters-sql"],
  ["lib/database/pool.ts", "pg"],
  ["lib/runs/start-run.ts", "@/lib/runs/transitions/claim-run"],
  ["lib/runs/advance/dispatch-call.ts", "@/lib/tools/call-tool"],
  ["lib/runs/worker/loop.ts", "@/lib/runs/start-run"],
  ["lib/telemetry/open.ts", "@/lib/log"],
  ["lib/tools/call.ts", "@/lib/telemetry/span"],
  ["lib/tools/connection.ts", "@modelcontextprotocol/client"],
  ["lib/tools/registry/keep.ts", "@/lib/tools/transitions/remember-tools"],
  ["lib/http/route.ts", "@/lib/people/queries/find-token"],
  ["lib/http/route.ts", "next/server"],
  ["lib/people/session/session.ts", "react"],
  ["app/runs/route.ts", "@/lib/runs/start-run"],
  ["app/runs/route.ts", "@/lib/runs/queries/get-run"],
  ["app/runs/route.ts", "@/lib/text/shown"],
  ["app/runs/route.test.ts", "@/lib/testing/builders"],
];

const CONTENTS: Record<string, [file: string, content: string]> = {
  componentType: [
    "components/runs/row.tsx",
    'import type { Run } from "@/lib/runs/queries/get-run";\nexport type Row = Run;\n',
  ],
  appType: [
    "app/runs/page.tsx",
    'import type { RunStatus } from "@/lib/runs/rules/run-state";\nexport type Row = RunStatus;\n',
  ],
  viewType: [
    "lib/approvals/view/card.ts",
    'import type { Card } from "@/lib/approvals/queries/find-card";\nexport type Row = Card;\n',
  ],
  clock: ["lib/runs/rules/clock.ts", "export const at = Date.now();\n"],
  network: ["lib/policy/network.ts", 'export const answer = fetch("http://localhost");\n'],
  environment: ["lib/text/environment.ts", "export const home = process.env.HOME;\n"],
  otherEnvironment: ["lib/runs/environment.ts", "export const home = process.env.HOME;\n"],
  ownEnvironment: ["lib/env.ts", "export const home = process.env.HOME;\n"],
};

const key = (file: string, specifier: string) => `${file} ${specifier}`;
/** The lint messages, by file and imported module; by the file alone where it imports none. */
const said = new Map<string, string>();

/**
 * All files in one run. A file that needs a specific name for its rule has one import per line, so that lines are
 * distinct.
 */
beforeAll(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-boundaries-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(path.join(root, "oxlint.config.ts"), path.join(folder, "oxlint.config.ts"));
  const write = (file: string, content: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };
  const imported = Map.groupBy([...FORBIDDEN, ...ALLOWED], ([file]) => file);
  for (const [file, cases] of imported)
    write(file, cases.map(([, specifier], line) => `export { thing as thing${line} } from "${specifier}";\n`).join(""));
  for (const [file, content] of Object.values(CONTENTS)) write(file, content);

  const program = path.join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout, stderr } = spawnSync(process.execPath, [program, "-c", "oxlint.config.ts", "-f", "json"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const { diagnostics } = JSON.parse(stdout || `"${stderr}"`) as {
    diagnostics: { filename: string; message: string; help?: string; labels: { span: { line: number } }[] }[];
  };
  for (const { filename, message, help = "", labels } of diagnostics) {
    const specifier = imported.get(filename)?.[labels[0]!.span.line - 1]?.[1];
    const place = specifier === undefined ? filename : key(filename, specifier);
    said.set(place, `${said.get(place) ?? ""}${message} ${help}\n`);
  }
});

test.each(FORBIDDEN)(verifies("architecture:imports", "%s may not import %s"), (file, specifier, reason) => {
  expect(said.get(key(file, specifier)) ?? "").toContain(REASONS[reason]);
});

test.each(ALLOWED)("%s may import %s", (file, specifier) => {
  expect(said.get(key(file, specifier)) ?? "").not.toContain("restricted");
});

test(verifies("architecture:imports", "each rule of each kind of file is tested by a forbidden import"), () => {
  const tried = [...said.values()].join("");
  const messages = config.overrides.flatMap(({ rules }) => {
    const rule = "no-restricted-imports" in rules ? rules["no-restricted-imports"] : "off";
    return rule === undefined || typeof rule === "string" ? [] : rule[1].patterns.map(({ message }) => message);
  });
  expect(messages.length).toBeGreaterThan(100);
  expect([...new Set(messages)].filter((message) => !tried.includes(message))).toEqual([]);
  expect(
    [...new Set(messages)].filter((message) => !Object.values(REASONS).some((reason) => message.includes(reason))),
  ).toEqual([]);
});

test("components, app and the card's view may import types where they may not import values", () => {
  for (const name of ["componentType", "appType", "viewType"])
    expect(said.get(CONTENTS[name]![0]) ?? "").not.toContain("restricted");
});

test(verifies("architecture:pure", "pure files have neither clock nor network nor environment"), () => {
  expect(said.get(CONTENTS.clock![0])).toContain("Time is an argument");
  expect(said.get(CONTENTS.network![0])).toContain("no I/O");
  expect(said.get(CONTENTS.environment![0])).toContain("is an argument");
});

test(verifies("architecture:pure", "only lib/env.ts reads the environment"), () => {
  expect(said.get(CONTENTS.otherEnvironment![0])).toContain("process.env");
  expect(said.get(CONTENTS.ownEnvironment![0]) ?? "").not.toContain("process.env");
});
