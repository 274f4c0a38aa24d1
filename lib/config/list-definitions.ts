/**
 * The workflows and agents that people see and start. What a profile stands for is among those of the project, so that a
 * client's call is a run like every other, and is left out here: it belongs to the profile.
 */
import { isClientWorkflow } from "./profile-parts";
import type { Project, ProjectAgent, ProjectWorkflow } from "./project";

export const listWorkflows = ({ workflows }: Pick<Project, "workflows">): ProjectWorkflow[] =>
  Object.values(workflows).filter(({ name }) => !isClientWorkflow(name));

export const listAgents = ({ agents }: Pick<Project, "agents">): ProjectAgent[] =>
  Object.values(agents).filter(({ name }) => !isClientWorkflow(name));

export const findWorkflow = ({ workflows }: Pick<Project, "workflows">, name: string): ProjectWorkflow | null =>
  !isClientWorkflow(name) && Object.hasOwn(workflows, name) ? (workflows[name] ?? null) : null;
