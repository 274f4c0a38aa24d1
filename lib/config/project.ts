/** A valid project: frozen, with every reference resolved, and able to locate each value in its file. */
import type { Agent } from "./agent-schema";
import type { Environment } from "./environment-schema";
import type { EnvEntry } from "./field-schemas";
import type { Gateway } from "./gateway-schema";
import type { Policy } from "./policy-schema";
import type { Profile } from "./profile-schema";
import type { ValuePath } from "./problem";
import type { Server } from "./server-schema";
import type { SourceLocation } from "./source-location";
import type { Step, StepKind } from "./step-schema";
import type { Workflow } from "./workflow-schema";

export interface ProjectServer {
  /** The server's own name; `kimitsu/files` and the like for built-ins. */
  name: string;
  origin: "local" | "marketplace" | "builtin";
  /** Empty for built-ins. */
  file: string;
  /** Its path in its file: empty for a file of its own, `["servers", 0]` in `servers.yaml`. */
  base: ValuePath;
  definition: Server;
}

export interface ProjectAgentServer {
  /** Position in the agent's `servers`. */
  index: number;
  /** The name under which the agent, the model and the workflow's `params.server` use for it. */
  name: string;
  server: ProjectServer;
}

export interface ProjectSubagent {
  /** Its path in the agent's file. */
  at: ValuePath;
  agent: ProjectAgent;
  /** Params that the parent fixes. */
  params: Readonly<Record<string, unknown>>;
  /** Null: what its own file allows, within what the parent has. */
  tools: readonly string[] | null;
}

export interface ProjectAgent {
  name: string;
  file: string;
  hash: string;
  definition: Agent;
  servers: readonly ProjectAgentServer[];
  subagents: readonly ProjectSubagent[];
}

export interface ProjectStep {
  id: string;
  kind: StepKind;
  /** Position in the pipeline. */
  index: number;
  definition: Step;
  /** Every step it waits for, stated or by reference. */
  dependsOn: readonly string[];
  /** For an agent step. */
  agent: ProjectAgent | null;
  /** For a workflow step. */
  workflow: ProjectWorkflow | null;
}

export interface ProjectWorkflow {
  name: string;
  file: string;
  hash: string;
  definition: Workflow;
  /** In the order of the file. */
  steps: readonly ProjectStep[];
  /** Ids in an order in which every step comes after those it waits for. */
  order: readonly string[];
}

/** What MCP clients may do: an agent without a model, in a workflow of one step. */
export interface ProjectProfile {
  name: string;
  file: string;
  definition: Profile;
  agent: ProjectAgent;
  workflow: ProjectWorkflow;
}

export interface Project {
  /** Absolute path of the project folder. */
  root: string;
  /**
   * `sha256:…` over the canonical content of all files but the lock of tools, and the name of the chosen environment.
   */
  hash: string;
  fileHashes: Readonly<Record<string, string>>;
  /** Every file as it was read: the folder may change a moment later. */
  texts: Readonly<Record<string, string>>;
  /** With the providers of the chosen environment. */
  gateway: Gateway | null;
  policy: Policy | null;
  /** The chosen environment. */
  environment: Environment | null;
  /** By name. */
  servers: Readonly<Record<string, ProjectServer>>;
  agents: Readonly<Record<string, ProjectAgent>>;
  workflows: Readonly<Record<string, ProjectWorkflow>>;
  profiles: Readonly<Record<string, ProjectProfile>>;
  /**
   * Position of a value, or of the nearest parent if the path does not exist. Line 1 for a file that is not part of the
   * project.
   */
  locate(file: string, path: ValuePath): SourceLocation;
}

/**
 * The value of a declared variable: process environment, then environment file, then default. An empty variable counts
 * as absent.
 */
export function findVariable(
  project: Pick<Project, "environment">,
  entry: Pick<EnvEntry, "name" | "default">,
  processEnv: Readonly<Record<string, string | undefined>>,
): string | null {
  const given = processEnv[entry.name];
  if (given !== undefined && given !== "") return given;
  const variables = project.environment?.variables ?? {};
  if (Object.hasOwn(variables, entry.name)) return String(variables[entry.name]);
  return entry.default ?? null;
}

/** Freezes plain objects and lists all the way down; what is frozen already is not visited again. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}
