import { listWorkflows } from "@/lib/config/list-definitions";
import type { Project, ProjectProfile, ProjectStep, ProjectWorkflow } from "@/lib/config/project";

/**
 * All workflows as one Mermaid flowchart: a box for each workflow, an arrow for each dependency, a dotted one into
 * sub-workflows; and a box for each profile, with the servers behind it.
 */
export function drawProject(project: Project): string {
  const workflows = listWorkflows(project);
  const ids = new Map(workflows.map((workflow, index) => [workflow.name, `w${index}`]));
  const lines = ["flowchart TD"];
  for (const workflow of workflows) lines.push(...drawWorkflow(workflow, ids.get(workflow.name) ?? ""));
  for (const workflow of workflows) {
    for (const step of workflow.steps) {
      if (step.workflow !== null)
        lines.push(`  ${ids.get(workflow.name)}_${step.index} -.-> ${ids.get(step.workflow.name)}`);
    }
  }
  for (const [index, profile] of Object.values(project.profiles).entries())
    lines.push(...drawProfile(profile, `p${index}`));
  return lines.join("\n");
}

function drawProfile({ name, agent }: ProjectProfile, id: string): string[] {
  return [
    `  subgraph ${id}["${escape(name)} (profile)"]`,
    `    ${id}_clients(["MCP clients"])`,
    ...agent.servers.map((server, index) => `    ${id}_${index}[("${escape(server.name)}")]`),
    ...agent.servers.map((_, index) => `    ${id}_clients --> ${id}_${index}`),
    "  end",
  ];
}

function drawWorkflow({ name, steps, definition }: ProjectWorkflow, id: string): string[] {
  const suffix = definition.visibility === "root" ? "" : " (sub-workflow)";
  const index = new Map(steps.map((step) => [step.id, step.index]));
  return [
    `  subgraph ${id}["${escape(name)}${suffix}"]`,
    ...steps.map((step) => `    ${id}_${step.index}${drawStep(step)}`),
    ...steps.flatMap((step) =>
      step.dependsOn.map((needed) => `    ${id}_${index.get(needed)} --> ${id}_${step.index}`),
    ),
    "  end",
  ];
}

/** Each kind of step has a shape of its own, so that the chart can be read without its text. */
function drawStep({ id, kind, agent, workflow, definition }: ProjectStep): string {
  const isFanOut = "for_each" in definition && definition.for_each !== undefined;
  const detail = agent?.name ?? workflow?.name ?? kind;
  const label = `"${escape(id)}<br/>${kind === "agent" || kind === "workflow" ? `${kind} ` : ""}${escape(detail)}${isFanOut ? "<br/>for each" : ""}"`;
  switch (kind) {
    case "agent":
      return `(${label})`;
    case "workflow":
      return `[[${label}]]`;
    case "webhook":
      return `>${label}]`;
    case "transform":
      return `[${label}]`;
  }
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
