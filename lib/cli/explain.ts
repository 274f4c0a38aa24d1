/** `kimitsu explain AGENT SERVER.TOOL`: what the policy would say to a call, layer by layer, with file and line. */
import type { Command } from "commander";
import { jsonBlock } from "@/lib/cli/json-text";
import { getProject } from "@/lib/config/load-project";
import { suggest } from "@/lib/config/problem";
import type { Project, ProjectAgent, ProjectAgentServer } from "@/lib/config/project";
import { formatSourceLocation } from "@/lib/config/source-location";
import { toAgentScope, toProjectPermissions } from "@/lib/domain/policy/agent-scope";
import { decide } from "@/lib/domain/policy/decide";
import type { PolicyDecision } from "@/lib/domain/policy/policy-answer";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

export interface ExplainOptions {
  args?: string;
  json?: boolean;
}

export function registerExplain(program: Command): void {
  program
    .command("explain")
    .description("say what the policy would answer to a call, and which line of which file decides")
    .argument("<agent>", "name of an agent")
    .argument("<server.tool>", "the tool, with the name under which the agent knows its server")
    .option("--args <json>", "the arguments of the call, which conditions look at", "{}")
    .option("--json", "print the decision with its trace")
    .action((agent: string, tool: string, options: ExplainOptions) => {
      const project = getProject(env.KIMITSU_PROJECT, {
        env: env.KIMITSU_ENV,
        deployment: { allowStdio: true, allowBypass: env.KIMITSU_ALLOW_BYPASS },
        // No answer of the policy depends on the value of a variable.
        processEnv: {},
      });
      console.log(explain(project, { agent, tool, allowBypass: env.KIMITSU_ALLOW_BYPASS, ...options }));
    });
}

interface ExplainInput extends ExplainOptions {
  agent: string;
  tool: string;
  allowBypass: boolean;
}

/** The text that the command prints. Throws for an agent or a server that is not there, and for arguments that are not JSON. */
export function explain(project: Project, input: ExplainInput): string {
  const agent = findAgent(project, input.agent);
  const { server, tool } = findTool(agent, input.tool);
  const facts = Object.hasOwn(server.server.definition.tools, tool) ? server.server.definition.tools[tool] : undefined;
  const call = { server: server.name, definition: server.server.name, tool, arguments: parseArguments(input.args ?? "{}") };
  const decision = decide(call, {
    scopes: [toAgentScope(project, agent)],
    project: toProjectPermissions(project),
    // The server is not asked: the answer must not depend on who is reachable from here.
    tool: { listing: "listed", annotations: undefined, facts: { danger: facts?.danger, annotations: facts?.annotations }, pin: "pinned" },
    hasLock: true,
    budget: { usedUsd: 0, toolsUsedUsd: 0, estimatedUsd: facts?.cost_usd ?? 0, limitUsd: null },
    deployment: { allowBypass: input.allowBypass },
  });
  const isAnnotated = facts?.annotations !== undefined || facts?.danger !== undefined;
  const known = isAnnotated ? null : `The server file says nothing about ${tool}, and the server itself was not asked: its annotations are taken as unknown.`;
  return input.json ? jsonBlock({ agent: agent.name, ...call, ...decision, note: known }) : describe(input.tool, decision, known);
}

const SENTENCE = { allow: "runs without asking", deny: "is refused", ask: "waits for a person" } as const;

function describe(tool: string, decision: PolicyDecision, note: string | null): string {
  const own = decision.trace.filter((entry) => entry.layer !== "tool_list" && entry.layer !== "pin");
  const width = Math.max(...own.map((entry) => entry.layer.length));
  const lines = own.map((entry) => {
    const source = entry.source && entry.source.file !== "" ? `  ${formatSourceLocation(entry.source)}` : "";
    return `  ${entry.outcome.padEnd(5)} ${entry.layer.padEnd(width)}  ${entry.reason}${source}`;
  });
  const why = decision.decision === "allow" ? "" : `: ${decision.reason}`;
  return [`${tool} ${SENTENCE[decision.decision]}${why}`, ...lines, ...describeRule(decision), ...(note === null ? [] : [note])].join("\n");
}

function describeRule(decision: PolicyDecision): string[] {
  if (decision.decision !== "ask") return [];
  const { approvers, minApprovals, onReject, timeoutMs, timeoutBehavior } = decision.rule;
  const people = `${minApprovals} of ${approvers.length > 0 ? approvers.join(", ") : "any reviewer"}`;
  const timeout = timeoutMs === null ? "no timeout" : `after ${timeoutMs / 1000} s: ${timeoutBehavior}`;
  return [`Approval: ${people}; a rejection means ${onReject}; ${timeout}.`];
}

function findAgent(project: Project, name: string): ProjectAgent {
  const agent = project.agents[name];
  if (agent) return agent;
  throw new KimitsuError("not_found", `There is no agent "${name}"; ${suggest(name, Object.keys(project.agents), "agents") ?? "the project has none"}`);
}

/** Server names may contain dots in neither form, but tools may: the longest server name that fits is meant. */
function findTool(agent: ProjectAgent, text: string): { server: ProjectAgentServer; tool: string } {
  const fitting = agent.servers.filter((server) => text.startsWith(`${server.name}.`) && text.length > server.name.length + 1);
  const [server] = fitting.toSorted((left, right) => right.name.length - left.name.length);
  if (server) return { server, tool: text.slice(server.name.length + 1) };
  const names = agent.servers.map((entry) => `${entry.name}.TOOL`);
  throw new KimitsuError("invalid_request", `"${text}" names no tool of agent "${agent.name}"; write ${names.join(" or ") || "SERVER.TOOL (the agent has no servers)"}`);
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KimitsuError("invalid_request", `--args is not JSON (${(error as Error).message}); write --args '{"id": 7}'`);
  }
}
