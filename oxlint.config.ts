/**
 * The lint rules, and who may import whom, each with its reason. lib/testing/boundaries.test.ts tries every forbidden
 * import. A later override replaces the import rules of an earlier one, so that each kind of file lists all of its own.
 */
import type { OxlintConfig } from "oxlint";

interface Restriction {
  group: string[];
  message: string;
  allowTypeImports?: boolean;
}

const GENERATED = "@/lib/database/generated/**";
const CALL_TOOL = "@/lib/tools/call-tool";
const RUNS = "@/lib/runs/**";
/** The row of a journal and its fold are pure too, beside what writes and reads them. */
const JOURNAL_PARTS = ["entry", "fold", "kept-snapshot", "pace"].map((name) => `runs/journal/${name}`);
const PURE_PARTS = [
  "*/rules/**",
  "policy/**",
  "text/**",
  "config/**",
  "runs/changes/**",
  "runs/snapshot",
  "proxy/client-calls",
  ...JOURNAL_PARTS,
];
const STORE_PARTS = [
  "*/queries/**",
  "*/transitions/**",
  "*/journal/**",
  "*/projections/**",
  "*/retention/**",
  "database/**",
];
const PURE = [
  "lib/*/rules/**",
  "lib/policy/**",
  "lib/text/**",
  "lib/runs/changes/**",
  "lib/runs/snapshot.ts",
  "lib/limits.ts",
];
const STORE = STORE_PARTS.map((part) => `lib/${part}`);
const TESTS = ["**/*.test.ts", "**/*.test.tsx", "lib/testing/**", "e2e/**"];

/** Rooms whose functions still take more than three positional parameters. */
const POSITIONAL = ["lib/config/**", "lib/people/**", "lib/notices/**", "lib/demo/**", "lib/runs/journal/**"];

const forbid = (message: string, ...group: string[]): Restriction => ({ group, message });
/**
 * All of lib but these parts of it. Files directly in lib (errors, ids, limits …) belong to everyone. What one group
 * allows with "!" no other group forbids any more, so that `except` must say it again.
 */
const onlyFromLib = (message: string, allowed: string[], except = [GENERATED, CALL_TOOL]): Restriction =>
  forbid(message, "@/lib/*/**", ...allowed.map((part) => `!@/lib/${part}`), ...except);
const onlyTypes = (restriction: Restriction): Restriction => ({ ...restriction, allowTypeImports: true });
const without = (list: Restriction[], gone: Restriction) => list.filter((restriction) => restriction !== gone);

type ImportRules = { "no-restricted-imports": ["error", { patterns: Restriction[] }] };
const importRules = (patterns: Restriction[]): ImportRules => ({ "no-restricted-imports": ["error", { patterns }] });
const kind = (files: string[], ...patterns: Restriction[]) => ({ files, rules: importRules(patterns) });
const off = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "off" as const]));

const storeOnly = "Only a room's queries and transitions and lib/database import Prisma or pg: they give plain data.";
const prisma = forbid(storeOnly, "@prisma/*", "prisma", "pg", "pg/**", GENERATED);
const testing = forbid("lib/testing is for tests only.", "@/lib/testing/**");
const mcpClient = forbid(
  "Only lib/tools speaks to tool servers: its callTool, which dispatchCall calls, is the one way to a tool.",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/client/**",
  "@modelcontextprotocol/sdk/client/**",
);
const callTool = forbid("Only dispatchCall calls a tool: it sends what was judged and recorded.", CALL_TOOL);
const webOnly = "Only app, http and people/session know Next: the rest also runs in the worker and the command line.";
const next = forbid(webOnly, "next", "next/**", "next-auth", "next-auth/**");
const reactOnly = "Only app and components know React.";
const react = forbid(reactOnly, "react", "react/**", "react-dom", "react-dom/**", "@/components/**");
const app = forbid("Nothing imports app: it is the edge that asks and shows.", "@/app/**", "**/app/**");
const climbing = forbid("Other folders are named by @/, so that the import rules see which they are.", "../**");
const moves = "State changes go through a use case; only use cases and the worker call transitions.";
const transitions = forbid(moves, "@/lib/*/transitions/**", "@/lib/*/journal/**");

const everywhere = [prisma, testing, mcpClient, callTool];
const common = [...everywhere, react, app, climbing];
/** For files that also run where there is no web server. */
const below = [...common, next];

const pureMessage = "Pure files import config and each other, and nothing that does work.";
const ioMessage = "Pure files have no I/O, no environment and no chance; what they need is an argument.";
const io = forbid(ioMessage, "node:*", "!node:crypto", "undici", "@/lib/env", "@/lib/log", "@/lib/ids", "@/lib/pause");
const pureKind = (files: string[], from: Restriction) => ({
  files,
  rules: {
    ...importRules([...below, io, from]),
    "no-restricted-globals": [
      "error",
      { name: "fetch", message: "Pure files have no I/O." },
      { name: "process", message: "What a pure file needs is an argument." },
    ],
    "no-restricted-properties": [
      "error",
      { object: "Date", property: "now", message: "Time is an argument in pure files." },
    ],
  } satisfies OxlintConfig["rules"],
});

const WEB = ["@/lib/http/**", "@/lib/people/session/**"];
const shared = "Use cases serve web, worker and command line alike, so they know none of them.";
const useCases = forbid(shared, ...WEB, "@/lib/cli/**", "@/lib/runs/worker/**");
const peopleMessage = "people knows who someone is and what they may do, and nothing of runs.";
const webParts = ["*/rules/**", "*/queries/**", "text/**", "config/**", "database/**", "http/**", "people/session/**"];
const web = [
  onlyFromLib(
    "http and people/session read through queries; what must act is handed to them by app.",
    [...webParts, "telemetry/**"],
    [GENERATED, RUNS],
  ),
  forbid("http and people never import runs.", RUNS),
  transitions,
];
const doorMessage =
  "The MCP server side asks for calls through ClientCalls; it judges, drives and records no run itself.";
const outsideMessage = "tools and models talk to the outside; only use cases decide what is kept of it.";
const outside = onlyFromLib(outsideMessage, [...PURE_PARTS, "tools/*", "models/*", "telemetry/**"]);
const builtinMessage = "A built-in server is a server like others: it knows of no run, and calls no tool.";
const builtins = onlyFromLib(builtinMessage, [
  ...PURE_PARTS,
  "tools/builtin/**",
  "tools/egress",
  "tools/open-transport",
]);
const storeMessage = "Queries and transitions make one statement true; what is done with it is a use case's.";
const store = onlyFromLib(storeMessage, [...PURE_PARTS, ...STORE_PARTS, "approvals/view/**"], []);
const toldMessage = "telemetry is told what happens; it knows nobody, so that everybody can tell it.";
const yamlMessage = "config reads YAML and knows nothing of what is done with it.";
const edgeMessage = "The command line is an edge of its own; it asks use cases, queries and config.";
const asksMessage = "app asks use cases and queries; from pure files only types.";
const shownText = ["!@/lib/text/shown", "!@/lib/text/parse-input"];

export default {
  plugins: ["eslint", "typescript", "import", "oxc", "unicorn", "node", "react", "jsx-a11y", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["lib/database/generated/**", ".next/**", "node_modules/**", "next-env.d.ts", "bench/**"],
  rules: {
    ...importRules(everywhere),
    "import/no-cycle": "error",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "node/no-process-env": "error",
    "max-lines": ["error", { max: 400 }],
    "max-params": ["error", { max: 3 }],
    "no-var": "error",
    "prefer-const": "error",
    eqeqeq: ["error", "always"],
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    ...off("no-shadow", "no-await-in-loop", "no-underscore-dangle", "no-empty-pattern", "no-new"),
    ...off("no-unmodified-loop-condition", "oxc/no-map-spread", "import/no-unassigned-import"),
    ...off("import/no-named-as-default", "import/no-named-as-default-member"),
    ...off("react/react-in-jsx-scope", "react/no-object-type-as-default-prop"),
    ...off("jsx-a11y/prefer-tag-over-role", "jsx-a11y/no-autofocus", "jsx-a11y/no-noninteractive-tabindex"),
    ...off("unicorn/no-array-sort", "unicorn/no-array-reverse", "unicorn/no-array-reduce"),
    ...off("unicorn/consistent-function-scoping", "unicorn/prefer-add-event-listener", "unicorn/prefer-set-has"),
    ...off("vitest/require-mock-type-parameters", "vitest/require-to-throw-message", "vitest/expect-expect"),
    ...off("vitest/no-conditional-expect", "vitest/no-conditional-tests", "vitest/valid-title"),
  },
  overrides: [
    kind(["lib/**"], ...below, useCases),
    kind(["lib/people/*.ts"], ...below, useCases, forbid(peopleMessage, RUNS, "@/lib/approvals/**")),
    kind(
      ["lib/proxy/**"],
      ...below,
      useCases,
      forbid(doorMessage, "@/lib/runs/journal/**", "@/lib/runs/changes/**", "@/lib/runs/advance/dispatch-call"),
    ),
    kind(["lib/runs/advance/dispatch-call.ts"], ...without(below, callTool), useCases),
    kind(STORE, ...without(below, prisma), store),
    pureKind(PURE, onlyFromLib(pureMessage, PURE_PARTS)),
    pureKind(["lib/approvals/view/**"], onlyTypes(onlyFromLib(pureMessage, [...PURE_PARTS, "approvals/view/**"]))),
    kind(["lib/telemetry/**"], ...below, onlyFromLib(toldMessage, ["telemetry/**"])),
    kind(["lib/config/**"], ...below, onlyFromLib(yamlMessage, [...PURE_PARTS, "models/**"])),
    kind(["lib/tools/*.ts"], ...without(below, mcpClient), outside),
    kind(["lib/tools/builtin/**"], ...below, builtins),
    kind(["lib/models/*.ts"], ...below, outside),
    kind(["lib/runs/worker/**"], ...below, forbid("The worker runs without a web server.", ...WEB, "@/lib/cli/**")),
    kind(["lib/http/**", "lib/people/session/**"], ...common, ...web),
    kind(["lib/people/session/session.ts"], ...without(common, react), ...web),
    kind(["lib/cli/**"], ...below, transitions, forbid(edgeMessage, ...WEB)),
    kind(
      ["components/**"],
      ...without(common, react),
      onlyTypes(forbid("Components take plain data as props; from lib only types.", "@/lib/**")),
    ),
    kind(
      ["app/**", "proxy.ts"],
      ...everywhere,
      transitions,
      forbid("app reads through engineDeps() and queries; it holds no database client.", "@/lib/database/client"),
      onlyTypes(forbid(asksMessage, "@/lib/*/rules/**", "@/lib/policy/**", "@/lib/text/**", ...shownText)),
    ),
    {
      files: [
        "lib/env.ts",
        "lib/demo/main.ts",
        "*.config.ts",
        "proxy.ts",
        "instrumentation.ts",
        "scripts/**",
        ...TESTS,
      ],
      rules: off("node/no-process-env"),
    },
    { files: TESTS, rules: off("no-restricted-imports", "no-restricted-globals", "no-restricted-properties") },
    { files: TESTS, rules: { "max-lines": ["error", { max: 850 }], "max-params": "off" } },
    { files: POSITIONAL, rules: off("max-params") },
    { files: ["scripts/**"], rules: off("no-restricted-imports") },
  ],
} satisfies OxlintConfig;
