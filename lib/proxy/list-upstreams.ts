/** The tool servers behind a profile, as its calls use them: same params, same credential, and so the same connections. */
import type { ProjectAgentServer, ProjectProfile } from "@/lib/config/project";
import { renderStepParams, resolveServer } from "@/lib/config/resolve-server";
import { findVariable, type Project } from "@/lib/config/project";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";
import { matchKnownSecrets } from "@/lib/projects/known-secrets";
import { envScope } from "@/lib/runs/advance/run-context";
import { log } from "@/lib/log";
import type { ToolServer } from "@/lib/tools/tool-server";

export interface Upstream {
  entry: ProjectAgentServer;
  server: ToolServer;
}

/** A server whose params cannot be resolved is left out, and the log says why: the others stay usable. */
export function listUpstreams(deps: Pick<ProxyDeps, "projects" | "processEnv">, profile: ProjectProfile): Upstream[] {
  const { project } = deps.projects.current();
  return profile.agent.servers.flatMap((entry) => {
    try {
      return [{ entry, server: toServer(deps, { project, profile, entry }) }];
    } catch (error) {
      log.warn({ err: error, profile: profile.name, server: entry.name }, "a server of a profile cannot be used");
      return [];
    }
  });
}

function toServer(
  { processEnv }: Pick<ProxyDeps, "processEnv">,
  { project, profile, entry }: { project: Project; profile: ProjectProfile; entry: ProjectAgentServer },
): ToolServer {
  const { agent, workflow } = profile;
  const step = workflow.steps[0]!;
  const { agentParams, serverParams } = renderStepParams(stepParams(step.definition), {
    env: envScope(project, workflow, processEnv),
  });
  return {
    definition: entry.server.definition,
    resolved: resolveServer({ project, agent, server: entry, agentParams, step: { workflow, step, serverParams } }),
    secrets: ({ kind, name }) => {
      const declared = kind === "env" ? workflow.definition.env.find((each) => each.name === name) : undefined;
      return declared ? (findVariable(project, declared, processEnv) ?? undefined) : undefined;
    },
    others: () => matchKnownSecrets(project, processEnv),
  };
}

const stepParams = (definition: object): Readonly<Record<string, unknown>> =>
  "params" in definition ? (definition.params as Record<string, unknown>) : {};
