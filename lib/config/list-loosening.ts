/**
 * What the `permissions` of an agent or a profile try to loosen against policy.yaml: refused at boot, because it would
 * have no effect.
 */
import { DANGER_LEVELS, type Permissions } from "./permission-schema";

export interface Loosening {
  /** The field inside its `permissions`. */
  path: (string | number)[];
  message: string;
  hint: string;
}

/** `owner` is whose permissions they are, for the hint. */
export function listLoosening(
  project: Permissions | undefined,
  agent: Permissions | undefined,
  owner: "an agent" | "a profile" = "an agent",
): Loosening[] {
  if (!project || !agent) return [];
  const hint = `${owner} can only tighten what policy.yaml says; leave the field out, or change policy.yaml`;
  return [...loosenedMode(project, agent), ...loosenedFigures(project, agent), ...loosenedAllow(project, agent)].map(
    (found) => ({ ...found, hint }),
  );
}

type Found = Omit<Loosening, "hint">;

/** Both `plan` and `strict` only ever add a restriction, whatever the project's mode is. */
function loosenedMode({ mode: project }: Permissions, { mode: agent }: Permissions): Found[] {
  if (!project || !agent || project === agent || project === "bypass" || agent === "plan" || agent === "strict")
    return [];
  return [{ path: ["mode"], message: `mode "${agent}" is looser than "${project}" of policy.yaml` }];
}

function loosenedFigures(project: Permissions, agent: Permissions): Found[] {
  const found: Found[] = [];
  if (
    project.ask_from &&
    agent.ask_from &&
    DANGER_LEVELS.indexOf(agent.ask_from) > DANGER_LEVELS.indexOf(project.ask_from)
  ) {
    found.push({
      path: ["ask_from"],
      message: `ask_from "${agent.ask_from}" is looser than "${project.ask_from}" of policy.yaml`,
    });
  }
  if (project.budget_usd !== undefined && agent.budget_usd !== undefined && agent.budget_usd > project.budget_usd) {
    found.push({
      path: ["budget_usd"],
      message: `budget_usd ${agent.budget_usd} is more than ${project.budget_usd} of policy.yaml`,
    });
  }
  if (project.self_approval === false && agent.self_approval === true)
    found.push({ path: ["self_approval"], message: "self_approval true is looser than false of policy.yaml" });
  return found;
}

function loosenedAllow(project: Permissions, agent: Permissions): Found[] {
  const wider = project.allow;
  if (!wider) return [];
  return (agent.allow ?? []).flatMap((pattern, index) =>
    wider.some((candidate) => covers(candidate, pattern))
      ? []
      : [{ path: ["allow", index], message: `"${pattern}" is not within permissions.allow of policy.yaml` }],
  );
}

/** Every name that matches `narrow` matches `wide`. */
function covers(wide: string, narrow: string): boolean {
  return wide.endsWith("*") ? narrow.startsWith(wide.slice(0, -1)) : wide === narrow;
}
