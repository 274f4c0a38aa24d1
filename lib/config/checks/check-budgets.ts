/** A budget counts what models cost by their prices: a model without one would never reach it. */
import type { Agent } from "@/lib/config/agent-schema";
import { isUnknown, report, type Draft, type Loaded } from "@/lib/config/draft";
import type { ModelGroup } from "@/lib/config/gateway-schema";
import type { Links } from "@/lib/config/links";
import type { Workflow } from "@/lib/config/workflow-schema";

export function checkBudgets(draft: Draft, links: Links): void {
  if (
    draft.gateway === null ||
    isUnknown(draft, draft.gateway.file, "model_groups") ||
    isUnknown(draft, draft.gateway.file, "providers")
  )
    return;
  const { model_groups: groups } = draft.gateway.definition;
  for (const workflow of draft.workflows) {
    const { model_policy: policy, visibility } = workflow.definition;
    if (policy?.cost_budget_usd === undefined || visibility !== "root") continue;
    const used = listGroups(links, workflow);
    for (const group of groups.filter(({ name }) => used.has(name))) {
      for (const model of listUnpriced(draft, group)) {
        report(
          draft,
          workflow.source,
          ["model_policy", "cost_budget_usd"],
          `the budget cannot be held: model ${model} of group ${group.name} has no price`,
          {
            hint: `add it to \`pricing\` of ${group.name} in gateway.yaml, with 0 if it costs nothing`,
          },
        );
      }
    }
  }
}

/** The scripted model plays a file, so it costs nothing. */
function listUnpriced(draft: Draft, { models, pricing }: ModelGroup): string[] {
  const stated = [...(draft.environment?.definition.providers ?? []), ...(draft.gateway?.definition.providers ?? [])];
  return models.filter((model) => {
    const [provider, id] = [model.slice(0, model.indexOf("/")), model.slice(model.indexOf("/") + 1)];
    const type = stated.find((candidate) => candidate.name === provider)?.type;
    return (
      type !== undefined && type !== "scripted" && !pricing.some((price) => price.model === model || price.model === id)
    );
  });
}

/** The model groups that a run may use, its sub-workflows and sub-agents included, after what its policy replaces. */
function listGroups(links: Links, workflow: Loaded<Workflow>): Set<string> {
  const policy = workflow.definition.model_policy;
  const groups = new Set<string>();
  const visited = new Set<string>();
  const add = (wanted: string) => {
    const group = policy?.force_group ?? wanted;
    groups.add(policy?.group_map?.[group] ?? group);
  };
  const visitSubagents = (agent: Loaded<Agent>) => {
    if (visited.has(agent.file)) return;
    visited.add(agent.file);
    for (const { agent: below } of links.subagents.get(agent.file) ?? []) {
      add(below.definition.model);
      visitSubagents(below);
    }
  };
  const visit = ({ file, definition }: Loaded<Workflow>) => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const [index, target] of (links.steps.get(file) ?? []).entries()) {
      if (target?.kind === "workflow") visit(target.workflow);
      if (target?.kind !== "agent") continue;
      const step = definition.pipeline[index];
      add((step && "agent" in step ? step.model?.group : undefined) ?? target.agent.definition.model);
      visitSubagents(target.agent);
    }
  };
  visit(workflow);
  return groups;
}
