/** Projects for tests: written to a temporary folder, loaded, and removed when the test file is done. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadProject, type LoadOptions, type LoadResult } from "./load-project";
import { formatProblem } from "./problem";

export type Files = Record<string, unknown>;

export class ProjectFixture {
  private readonly folders: string[] = [];

  /** Text is written as it is, everything else as JSON, which is YAML too. `null` leaves a file of `base` out. */
  write(files: Files): string {
    const root = path.join(mkdtempSync(path.join(tmpdir(), "kimitsu-fixture-")), "kimitsu");
    this.folders.push(path.dirname(root));
    mkdirSync(root);
    for (const [file, content] of Object.entries(files)) {
      if (content === null) continue;
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(
        path.join(root, file),
        typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 1),
      );
    }
    return root;
  }

  load(files: Files, options: Partial<LoadOptions> = {}): LoadResult {
    return loadProject(this.write(files), {
      deployment: { allowStdio: false, allowBypass: false },
      processEnv: {},
      ...options,
    });
  }

  /**
   * The problems as people read them, without the position in the file: `agents/a.agent.yaml model: no model group …`.
   */
  problems(files: Files, options: Partial<LoadOptions> = {}): string[] {
    return this.load(files, options).problems.map((problem) => formatProblem(problem).replace(/^(\S+?):\d+:\d+/, "$1"));
  }

  remove(): void {
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** A small project without mistakes: one workflow, one agent, one server. */
export const SMALL_PROJECT = {
  "gateway.yaml": {
    providers: [{ name: "local", type: "openai-compatible", config: { base_url: "http://localhost:11434/v1" } }],
    model_groups: [{ name: "standard", models: ["local/small"] }],
  },
  "servers/crm.server.yaml": { name: "crm", url: "https://crm.internal/mcp", params: { region: { default: "eu" } } },
  "agents/triage.agent.yaml": {
    name: "triage",
    model: "standard",
    prompt: { system: "Sort it.", user: "Sort {{ params.message }}" },
    params: { schema: { type: "object", required: ["message"], properties: { message: { type: "string" } } } },
    servers: [{ name: "crm", path: "servers/crm.server.yaml", access: { allowlist: ["lookup"] } }],
    output: { schema: { type: "object", properties: { category: { type: "string" }, tags: { type: "array" } } } },
  },
  "workflows/support.workflow.yaml": {
    kind: "workflow",
    name: "support",
    params: {
      schema: {
        type: "object",
        required: ["message"],
        properties: { message: { type: "string" }, count: { type: "integer" } },
      },
    },
    pipeline: [{ id: "sort", agent: "agents/triage.agent.yaml", params: { message: "{{ params.message }}" } }],
  },
} as const;
