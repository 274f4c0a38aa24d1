/**
 * A profile as the agent and the workflow that it stands for: a call of a client is a run with one step, judged, recorded
 * and resumed like every other. Both have the profile's own file, so that every line that is reported or shown is a line
 * of it.
 */
import type { Agent } from "./agent-schema";
import type { Profile } from "./profile-schema";
import type { Workflow } from "./workflow-schema";

const PREFIX = "mcp:";
export const CLIENT_STEP = "call";

/** Also the name of the agent. No workflow or agent of a file can have it: their names contain no colon. */
export const clientWorkflowName = (profile: string): string => PREFIX + profile;
export const isClientWorkflow = (workflow: string): boolean => workflow.startsWith(PREFIX);
/** Null for any other workflow. */
export const profileOfWorkflow = (workflow: string): string | null =>
  isClientWorkflow(workflow) ? workflow.slice(PREFIX.length) : null;

/** The kind of file behind an agent, for problems that both can have. */
export const ownerKind = (agent: string): "agent" | "profile" => (isClientWorkflow(agent) ? "profile" : "agent");

/** An agent by name, or the profile behind it, as people read it. */
export const shownOwner = (agent: string): string =>
  isClientWorkflow(agent) ? `profile ${agent.slice(PREFIX.length)}` : agent;

/** Its variables reach the servers as params of the agent, so that the rules for secrets apply to them unchanged. */
export function agentOfProfile(profile: Profile): Agent {
  const { name, description, env, servers, permissions, toolsets } = profile;
  const properties = Object.fromEntries(
    env.map((entry) => [entry.name, { type: "string", ...(entry.secret && { secret: true }) }]),
  );
  return {
    name: clientWorkflowName(name),
    ...(description !== undefined && { description }),
    model: "",
    max_turns: 1,
    params: { schema: { type: "object", properties } },
    prompt: { system: "-" },
    servers: servers.map((server) => ({ ...server, params: toAgentParams(server.params) })),
    ...(permissions && { permissions }),
    ...(toolsets && { toolsets }),
  };
}

export function workflowOfProfile({ name, description, env }: Profile, file: string): Workflow {
  return {
    kind: "workflow",
    name: clientWorkflowName(name),
    ...(description !== undefined && { description }),
    visibility: "root",
    env,
    webhooks: "suppress",
    pipeline: [
      {
        id: CLIENT_STEP,
        depends_on: [],
        agent: file,
        params: Object.fromEntries(env.map((entry) => [entry.name, `{{ env.${entry.name} }}`])),
      },
    ],
    output: { from: CLIENT_STEP },
  };
}

type Params = Profile["servers"][number]["params"];

/** `{{ env.NAME }}` of a profile is `{{ params.NAME }}` of its agent. */
const toAgentParams = (params: Params): Params =>
  mapTexts(params, (text) => text.replaceAll(/(?<!\\)\{\{(\s*)env\./g, "{{$1params.")) as Params;

/** What stands in the file of a param of an agent's server. In a profile nothing but its variables can be named. */
export const asWritten = (agent: string, value: unknown): unknown =>
  isClientWorkflow(agent) ? mapTexts(value, (text) => text.replaceAll(/(?<!\\)\{\{(\s*)params\./g, "{{$1env.")) : value;

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((child) => mapTexts(child, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, mapTexts(child, change)]));
}
