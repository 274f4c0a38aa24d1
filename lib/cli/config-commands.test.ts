import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv } from "ajv";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listWorkflows } from "@/lib/config/list-definitions";
import { loadProject } from "@/lib/config/load-project";
import { formatProblem } from "@/lib/config/problem";
import { ProjectFixture } from "@/lib/config/project-fixture";
import { readToolsLock } from "@/lib/config/tools-lock";
import { verifies } from "@/e2e/requirements";
import { drawFieldTable, replaceFieldTable } from "@/lib/cli/schema-table";
import { createSchemaDocument, SCHEMA_KINDS, type SchemaKind } from "@/lib/cli/schema-documents";
import { writeSchemas } from "@/lib/cli/schema";
import { buildTree, drawTree } from "@/lib/cli/tree";
import { describeResult } from "@/lib/cli/validate";
import { drawProject } from "@/lib/cli/workflow-graph";
import { createPaint } from "@/lib/cli/project-options";

const REPOSITORY = path.resolve(import.meta.dirname, "../..");
const DEMO = path.join(REPOSITORY, "kimitsu");
const OPTIONS = { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} };
const plain = createPaint(false);
const result = loadProject(DEMO, OPTIONS);
const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("validate", () => {
  it("groups files by kind and ends with one line", () => {
    const text = describeResult(result, "kimitsu", plain);
    expect(text.split("\n").filter((line) => /^\w/.test(line))).toEqual([
      "Workflows",
      "Agents",
      "Profiles",
      "Servers",
      "Other",
      "All files are right",
    ]);
    expect(text).toContain("  OKAY  agents/clerk.agent.yaml");
  });

  it("marks the files that fail, then lists errors before warnings", () => {
    const problem = {
      file: "agents/clerk.agent.yaml",
      line: 3,
      column: 1,
      path: "model",
      message: "wrong",
      severity: "error",
    } as const;
    const files = result.files.map((entry) => ({ ...entry, ok: entry.file !== problem.file }));
    const text = describeResult(
      { project: null, problems: [{ ...problem, severity: "warning", message: "odd" }, problem], files },
      "kimitsu",
      plain,
    );
    expect(text).toContain("  FAIL  agents/clerk.agent.yaml");
    expect(text.split("\n").slice(-4)).toEqual([
      "kimitsu/agents/clerk.agent.yaml:3:1 model: wrong",
      "kimitsu/agents/clerk.agent.yaml:3:1 model: warning: odd",
      "",
      "1 error, 1 warning",
    ]);
  });

  it("uses colours only when asked to", () => {
    expect(describeResult(result, "kimitsu", createPaint(true))).toContain("\u001B[32mOKAY\u001B[0m");
    expect(describeResult(result, "kimitsu", plain)).not.toContain("\u001B");
  });
});

describe("the graph", () => {
  it("has every step, every dependency, and the links into sub-workflows", () => {
    const graph = drawProject(result.project!);
    const workflows = listWorkflows(result.project!);
    for (const { steps } of workflows) for (const step of steps) expect(graph).toContain(`"${step.id}<br/>`);
    const dependencies = workflows.flatMap(({ steps }) => steps.flatMap((step) => step.dependsOn));
    // And one from the clients of the demo's profile to its server.
    expect(graph.match(/ --> /g)).toHaveLength(dependencies.length + 1);
    expect(graph.match(/ -\.-> /g)).toHaveLength(1);
  });

  it(
    verifies("config:profiles", "shows profiles with the servers behind them, and nothing of what they stand for"),
    () => {
      const graph = drawProject(result.project!);
      expect(graph).toContain('subgraph p0["coding (profile)"]');
      expect(graph).toContain('p0_0[("shop")]');
      expect(graph).not.toContain("mcp:");
    },
  );
});

describe("tree", () => {
  it("lists everything down to the tools and says which of them ask", () => {
    const text = drawTree(buildTree(result.project!, "support"), plain);
    expect(text).toContain("tool issue-refund (asks reviewer when amount > `25`)");
    expect(text).toContain("workflow tell-desk (sub-workflow)");
  });

  it("names the nearest workflow when there is none of that name", () => {
    expect(() => buildTree(result.project!, "suport")).toThrow(
      'There is no workflow or profile "suport"; did you mean "support"?',
    );
    expect(() => buildTree(result.project!, "constructor")).toThrow("There is no workflow");
    expect(() => buildTree(result.project!, "mcp:coding")).toThrow('There is no workflow or profile "mcp:coding"');
  });

  it(verifies("config:profiles", "of a profile it says which tools are allowed, asked about and denied"), () => {
    const tree = buildTree(result.project!, "coding", readToolsLock(DEMO));
    expect(drawTree(tree, plain).split("\n")).toEqual([
      "profile coding (mode tools)  profiles/coding.profile.yaml",
      "└─ server shop  servers/shop.server.yaml",
      "   ├─ tool orders-read (allowed)",
      "   ├─ tool payments-read (allowed)",
      "   ├─ tool tickets-search (allowed)",
      "   ├─ tool draft-reply (allowed)",
      "   ├─ tool close-ticket (asks)",
      "   ├─ tool issue-refund (asks)",
      "   └─ tool delete-customer (denied)",
    ]);
    expect(tree.children[0]?.params).toEqual([
      expect.objectContaining({ name: "api_key", value: "{{ env.SHOP_KEY }}", origin: "profile", secret: true }),
      expect.objectContaining({ name: "locale", value: "en", origin: "default" }),
    ]);
    expect(buildTree(result.project!, "profile:coding").kind).toBe("profile");
  });
});

describe("schema", () => {
  it("the committed schemas are those of the code; `npx kimitsu schema` writes them", () => {
    for (const file of writeSchemas(folder)) {
      expect(readFileSync(path.join(DEMO, ".schema", path.basename(file)), "utf8"), path.basename(file)).toBe(
        readFileSync(file, "utf8"),
      );
    }
  });

  it("every file of the demo names its schema and fits it", () => {
    for (const { file, kind } of result.files.filter((entry) => (SCHEMA_KINDS as string[]).includes(entry.kind))) {
      const text = readFileSync(path.join(DEMO, file), "utf8");
      const named = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text)?.[1] ?? "";
      expect(path.resolve(path.dirname(path.join(DEMO, file)), named), file).toBe(
        path.join(DEMO, ".schema", `${kind}.json`),
      );
      const validate = new Ajv({ strict: false, logger: false }).compile(createSchemaDocument(kind as SchemaKind));
      expect(validate(parse(text)), `${file}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  it("every field of every kind is described", () => {
    const missing: string[] = [];
    const visit = (schema: unknown, at: string): void => {
      if (schema === null || typeof schema !== "object") return;
      for (const [name, child] of Object.entries(
        (schema as { properties?: Record<string, object> }).properties ?? {},
      )) {
        const isDescribed =
          "description" in child || ("allOf" in child && JSON.stringify(child).includes("description"));
        if (!isDescribed) missing.push(`${at}.${name}`);
      }
      for (const [key, child] of Object.entries(schema))
        if (key !== "default" && key !== "enum") visit(child, `${at}.${key}`);
    };
    for (const kind of SCHEMA_KINDS.filter((name) => name !== "script")) visit(createSchemaDocument(kind), kind);
    expect(missing).toEqual([]);
  });
});

describe("the reference pages", () => {
  it.each(SCHEMA_KINDS)("%s has the table of the schema's fields; `npx kimitsu schema --docs` writes it", (kind) => {
    const page = readFileSync(path.join(REPOSITORY, "docs/reference", `${kind}.md`), "utf8");
    expect(replaceFieldTable(page, kind, drawFieldTable(createSchemaDocument(kind)))).toBe(page);
  });

  it("their examples are one project without errors", () => {
    const files: Record<string, string> = {};
    for (const kind of SCHEMA_KINDS.filter((name) => name !== "script")) {
      const page = readFileSync(path.join(REPOSITORY, "docs/reference", `${kind}.md`), "utf8");
      for (const [, file = "", text = ""] of page.matchAll(/```yaml\n# (\S+\.yaml)\n([\s\S]*?)```/g))
        files[file] = text;
    }
    expect(Object.keys(files)).toHaveLength(9);
    const fixture = new ProjectFixture();
    const { problems } = fixture.load(files, {
      env: "prod",
      processEnv: { ANTHROPIC_API_KEY: "x", CRM_KEY: "x", CALLER_SECRET: "x", SLACK_WEBHOOK: "x" },
    });
    fixture.remove();
    expect(problems.map((problem) => formatProblem(problem))).toEqual([]);
  });
});
