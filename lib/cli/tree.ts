/** `kimitsu tree NAME`: what a workflow, or the clients of a profile, can do, down to the tools. */
import type { Command } from "commander";
import { type EffectiveParam, listEffectiveParams, type SpeakingStep } from "@/lib/config/effective-params";
import { findWorkflow, listWorkflows } from "@/lib/config/list-definitions";
import { getProject } from "@/lib/config/load-project";
import type { AllowlistEntry } from "@/lib/config/permission-schema";
import { suggest } from "@/lib/config/problem";
import type { Project, ProjectAgent, ProjectStep, ProjectWorkflow } from "@/lib/config/project";
import { readToolsLock, type ToolsLock } from "@/lib/config/tools-lock";
import { KimitsuError } from "@/lib/errors";
import { jsonBlock } from "@/lib/cli/json-text";
import { findProfile } from "@/lib/cli/find-profile";
import { profileNode } from "@/lib/cli/tree-profile";
import { createPaint, loadOptions, projectRoot, type Paint } from "@/lib/cli/project-options";

export interface TreeNode {
  kind: "workflow" | "profile" | "step" | "agent" | "server" | "tool";
  name: string;
  /** What a person should know at a glance, such as "asks" or "for each". */
  notes: string[];
  file: string | null;
  /** Of a server: the params that it gets here, each with the place that sets it. */
  params?: EffectiveParam[];
  children: TreeNode[];
}

export function registerTree(program: Command): void {
  program
    .command("tree")
    .description("show a workflow with its steps, agents, servers and allowed tools, or a profile with its tools")
    .argument("<name>", "name of the workflow or profile")
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--json", "print the tree as JSON")
    .action((name: string, options: { env?: string; json?: boolean }) => {
      const root = projectRoot();
      const lock = readToolsLock(root);
      const tree = buildTree(getProject(root, loadOptions(options)), name, lock);
      console.log(options.json ? jsonBlock(tree) : drawTree(tree, createPaint()));
    });
}

/** Of a workflow and a profile with one name the workflow is shown; `profile:NAME` means the profile. */
export function buildTree(project: Project, name: string, lock: ToolsLock | null = null): TreeNode {
  const workflow = findWorkflow(project, name);
  if (workflow) return workflowNode(project, workflow);
  const profile = findProfile(project, name);
  if (profile) return profileNode(project, profile, (server) => lock?.servers[server]?.tools ?? {});
  const known = [...listWorkflows(project).map((each) => each.name), ...Object.keys(project.profiles)];
  throw new KimitsuError(
    "not_found",
    `There is no workflow or profile ${JSON.stringify(name)}; ${suggest(name, known, "workflows and profiles") ?? "the project has none"}`,
  );
}

function workflowNode(project: Project, workflow: ProjectWorkflow): TreeNode {
  const notes = workflow.definition.visibility === "root" ? [] : ["sub-workflow"];
  return {
    kind: "workflow",
    name: workflow.name,
    notes,
    file: workflow.file,
    children: workflow.steps.map((step) => stepNode(project, workflow, step)),
  };
}

function stepNode(project: Project, parent: ProjectWorkflow, step: ProjectStep): TreeNode {
  const { id, kind, definition, dependsOn, agent, workflow } = step;
  const notes = [kind as string];
  if (dependsOn.length > 0) notes.push(`after ${dependsOn.join(", ")}`);
  if ("for_each" in definition && definition.for_each) notes.push(`for each of ${definition.for_each.from}`);
  if (definition.condition !== undefined) notes.push(`if ${definition.condition}`);
  const children =
    agent !== null
      ? [agentNode(project, agent, { workflow: parent, step })]
      : workflow !== null
        ? [workflowNode(project, workflow)]
        : [];
  return { kind: "step", name: id, notes, file: null, children };
}

function agentNode(project: Project, agent: ProjectAgent, step: SpeakingStep): TreeNode {
  const servers = agent.servers.map((entry): TreeNode => {
    const { index, name, server } = entry;
    const allowlist = agent.definition.servers[index]?.access?.allowlist ?? ["*"];
    const notes = server.origin === "local" ? [] : [server.origin === "builtin" ? "built-in" : "servers.yaml"];
    return {
      kind: "server",
      name,
      notes,
      file: server.file === "" ? null : server.file,
      params: listEffectiveParams(project, agent, entry, step),
      children: allowlist.map(toolNode),
    };
  });
  return {
    kind: "agent",
    name: agent.name,
    notes: [],
    file: agent.file,
    children: [...servers, ...agent.subagents.map((subagent) => agentNode(project, subagent.agent, null))],
  };
}

function toolNode(entry: AllowlistEntry): TreeNode {
  const name = typeof entry === "string" ? entry : entry.name;
  const rule = typeof entry === "string" ? undefined : entry.require_approval;
  const asks =
    rule === undefined
      ? []
      : [
          `asks${rule.approvers ? ` ${rule.approvers.join(", ")}` : ""}${rule.when === undefined ? "" : ` when ${rule.when}`}`,
        ];
  return { kind: "tool", name, notes: asks, file: null, children: [] };
}

export function drawTree(root: TreeNode, paint: Paint): string {
  const lines: string[] = [];
  const visit = (node: TreeNode, lead: string, branch: string) => {
    const notes = node.notes.length === 0 ? "" : ` (${node.notes.join("; ")})`;
    const text = `${node.kind} ${node.name}${notes}`;
    lines.push(
      `${lead}${branch}${node.notes.some((note) => note.startsWith("asks")) ? paint.warn(text) : node.notes.includes("denied") ? paint.bad(text) : text}${node.file === null ? "" : paint.dim(`  ${node.file}`)}`,
    );
    const inner = branch === "" ? lead : `${lead}${branch === "└─ " ? "   " : "│  "}`;
    node.children.forEach((child, index) => visit(child, inner, index === node.children.length - 1 ? "└─ " : "├─ "));
  };
  visit(root, "", "");
  return lines.join("\n");
}
