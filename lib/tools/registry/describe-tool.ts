/**
 * What the console shows of a tool beyond the registry: what each agent's policy says about it, and how its definition
 * differs from the trusted one. Invisible characters in texts of tool servers are written out.
 */
import type { Project, ProjectAgent, ProjectAgentServer } from "@/lib/config/project";
import { shownOwner } from "@/lib/config/profile-parts";
import { formatSourceLocation, type SourceLocation } from "@/lib/config/source-location";
import { toAgentScope, toProjectPermissions } from "@/lib/policy/agent-scope";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import { judgeByProject } from "@/lib/policy/judge-by-project";
import type { AgentScope, PermissionSet } from "@/lib/policy/policy-input";
import { matchesName, matchesTool } from "@/lib/policy/tool-pattern";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { hidesText, mapText, showInvisible } from "@/lib/text/tool-text";
import { listRegistryTools, type RegistryTool } from "@/lib/tools/registry/list-registry";
import type { Runtime } from "@/lib/runs/runtime";
import { findDefinition } from "@/lib/tools/queries/find-definition";

export interface AgentPolicy {
  /** Or `profile NAME`. */
  agent: string;
  /** For a call without arguments; `conditions` say what arguments change. */
  answer: "allow" | "ask" | "deny";
  /** The layers that did more than let it pass. */
  reasons: { layer: string; outcome: string; reason: string; source: string | null }[];
  conditions: { outcome: string; when: string; source: string | null }[];
  /** Who decides, and what a rejection does; null unless people are asked. */
  rule: ApprovalRule | null;
}

export interface ListedTool extends RegistryTool {
  /** Agents, and profiles as `profile NAME`, whose allowlist includes it. */
  agents: string[];
  /** True when its definition contains invisible characters. */
  hidesText: boolean;
}

export interface ToolCard extends ListedTool {
  policies: AgentPolicy[];
  /** The whole definition as lines of JSON, now and as trusted; null when the trusted one was never seen here. */
  now: string;
  trusted: string | null;
}

type ToolDeps = Pick<Runtime, "db" | "projects" | "deployment">;

export async function listTools(deps: ToolDeps, filter: { server?: string } = {}): Promise<ListedTool[]> {
  const { project } = deps.projects.current();
  return (await listRegistryTools(deps, filter)).map((tool) => toListed(project, tool));
}

/** Null when the project has no such server, or the tool was never seen on it. */
export async function findToolCard(deps: ToolDeps, server: string, name: string): Promise<ToolCard | null> {
  const { project } = deps.projects.current();
  const tool = (await listRegistryTools(deps, { server })).find((candidate) => candidate.tool === name);
  if (!tool) return null;
  const [current, trusted] = await Promise.all([
    findDefinition(deps.db, { server, tool: name, fingerprint: tool.fingerprint }),
    tool.pinnedFingerprint
      ? findDefinition(deps.db, { server, tool: name, fingerprint: tool.pinnedFingerprint })
      : null,
  ]);
  return {
    ...toListed(project, tool),
    policies: listHolders(project, tool).map((holder) => judgeFor(deps, holder, tool)),
    now: toLines(current),
    trusted: trusted && toLines(trusted),
  };
}

function toLines(definition: ToolDefinition | null): string {
  return JSON.stringify(mapText(definition, showInvisible), null, 2);
}

function toListed(project: Project, tool: RegistryTool): ListedTool {
  const { description, title, annotations, inputSchema } = tool;
  const texts = { description, title, annotations, inputSchema };
  const shown = mapText(texts, showInvisible) as typeof texts;
  const agents = listHolders(project, tool).map(({ agent }) => shownOwner(agent.name));
  return { ...tool, ...shown, agents: [...new Set(agents)], hidesText: hidesInTool(tool) };
}

const hidesInTool = ({ description, title, annotations, inputSchema, outputSchema }: RegistryTool): boolean =>
  hidesText({ description, title, annotations, inputSchema, outputSchema });

interface Holder {
  agent: ProjectAgent;
  entry: ProjectAgentServer;
}

/** The agents that have the server and whose allowlist includes the tool. */
function listHolders(project: Project, { server, tool }: RegistryTool): Holder[] {
  return Object.values(project.agents).flatMap((agent) => {
    const scope = toAgentScope(project, agent);
    return agent.servers
      .filter(
        (entry) =>
          entry.server.name === server && grantsOf(scope, entry).some(({ pattern }) => matchesName(pattern, tool)),
      )
      .map((entry) => ({ agent, entry }));
  });
}

const grantsOf = (scope: AgentScope, entry: ProjectAgentServer) =>
  scope.servers.find(({ name }) => name === entry.name)?.grants ?? [];
const placeOf = (source: SourceLocation | undefined): string | null => (source ? formatSourceLocation(source) : null);

function judgeFor(deps: ToolDeps, { agent, entry }: Holder, tool: RegistryTool): AgentPolicy {
  const { project } = deps.projects.current();
  const scope = toAgentScope(project, agent);
  const name = { server: entry.name, definition: entry.server.name, tool: tool.tool };
  const judged = judgeByProject({
    project,
    scopes: [scope],
    call: { ...name, arguments: {} },
    server: entry.server,
    tool: {
      listing: "listed",
      annotations: tool.annotations ?? undefined,
      pin: tool.pin,
      hidesText: hidesInTool(tool),
    },
    hasLock: deps.projects.lock() !== null,
    deployment: deps.deployment,
  });
  const asked = grantsOf(scope, entry).filter(
    ({ pattern, requireApproval }) => requireApproval?.when !== undefined && matchesName(pattern, tool.tool),
  );
  const rules = [toProjectPermissions(project), scope.permissions]
    .flatMap((set: PermissionSet) => set.rules ?? [])
    .filter((rule) => rule.when !== undefined && matchesTool(rule.tool, name, "restrict"));
  return {
    agent: shownOwner(agent.name),
    answer: judged.decision,
    reasons: judged.trace
      .filter(({ outcome }) => outcome !== "pass")
      .map(({ layer, outcome, reason, source }) => ({ layer, outcome, reason, source: placeOf(source) })),
    conditions: [
      ...asked.map(({ requireApproval, source }) => ({
        outcome: "ask",
        when: requireApproval?.when ?? "",
        source: placeOf(source),
      })),
      ...rules.map((rule) => ({ outcome: rule.decision, when: rule.when ?? "", source: placeOf(rule.source) })),
    ],
    rule: judged.decision === "ask" ? judged.rule : null,
  };
}
