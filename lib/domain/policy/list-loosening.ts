/** What an agent's `permissions` try to loosen against policy.yaml: refused at boot, because it would have no effect. */
import type { SourceLocation } from "@/lib/config/source-location";
import { isAtLeast } from "@/lib/domain/danger";
import type { PermissionSet, PlacedPattern } from "./policy-input";
import { matchesName } from "./tool-pattern";

export interface Loosening {
  /** The field inside the agent's `permissions`. */
  path: (string | number)[];
  message: string;
  source?: SourceLocation | undefined;
}

export function listLoosening(project: PermissionSet, agent: PermissionSet): Loosening[] {
  return [...loosenedMode(project, agent), ...loosenedFigures(project, agent), ...loosenedAllow(project, agent)];
}

function loosenedMode({ mode: project }: PermissionSet, { mode: agent }: PermissionSet): Loosening[] {
  if (!project || !agent || project.value === agent.value || project.value === "bypass") return [];
  const isTighter = agent.value === "plan" || agent.value === "strict";
  if (isTighter) return [];
  return [{ path: ["mode"], source: agent.source, message: `mode "${agent.value}" is looser than "${project.value}" of policy.yaml; an agent can only tighten` }];
}

function loosenedFigures(project: PermissionSet, agent: PermissionSet): Loosening[] {
  const problems: Loosening[] = [];
  if (project.askFrom && agent.askFrom && agent.askFrom.value !== project.askFrom.value && isAtLeast(agent.askFrom.value, project.askFrom.value)) {
    problems.push({ path: ["ask_from"], source: agent.askFrom.source, message: `ask_from "${agent.askFrom.value}" is looser than "${project.askFrom.value}" of policy.yaml; an agent can only tighten` });
  }
  if (project.budgetUsd && agent.budgetUsd && agent.budgetUsd.value > project.budgetUsd.value) {
    problems.push({ path: ["budget_usd"], source: agent.budgetUsd.source, message: `budget_usd ${agent.budgetUsd.value} is more than ${project.budgetUsd.value} of policy.yaml; an agent can only tighten` });
  }
  return problems;
}

function loosenedAllow(project: PermissionSet, agent: PermissionSet): Loosening[] {
  if (!project.allow) return [];
  const isCovered = (entry: PlacedPattern) => project.allow?.some((wider) => covers(wider.pattern, entry.pattern));
  return (agent.allow ?? []).flatMap((entry, index) =>
    isCovered(entry) ? [] : [{ path: ["allow", index], source: entry.source, message: `"${entry.pattern}" is not within permissions.allow of policy.yaml; an agent can only tighten` }],
  );
}

/** Every name that fits `narrow` fits `wide`. */
function covers(wide: string, narrow: string): boolean {
  return narrow.endsWith("*") ? wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1)) : matchesName(wide, narrow);
}
