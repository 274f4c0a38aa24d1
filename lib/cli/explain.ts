/** `kimitsu explain AGENT|PROFILE SERVER.TOOL`: what the policy would answer to a call, layer by layer, with file and line. */
import type { Command } from "commander";
import { jsonBlock } from "@/lib/cli/json-text";
import { listParamWays } from "@/lib/config/effective-params";
import { findProfile } from "@/lib/cli/find-profile";
import { listAgents } from "@/lib/config/list-definitions";
import { getProject } from "@/lib/config/load-project";
import { isClientWorkflow, profileOfWorkflow, shownOwner } from "@/lib/config/profile-parts";
import { suggest } from "@/lib/config/problem";
import type { Project, ProjectAgent, ProjectAgentServer } from "@/lib/config/project";
import { formatSourceLocation } from "@/lib/config/source-location";
import { toAgentScope } from "@/lib/policy/agent-scope";
import { type CallInProject, factsOf, judgeByProject } from "@/lib/policy/judge-by-project";
import type { PolicyDecision } from "@/lib/policy/policy-answer";
import type { PinState } from "@/lib/policy/policy-input";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { hidesText } from "@/lib/text/tool-text";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

export interface ExplainOptions {
  args?: string;
  json?: boolean;
}

/** What is known of a tool beyond the project's files. */
export type KnownTool =
  /** `gone`: its server no longer lists it. */
  | { kind: "seen"; definition: ToolDefinition; pin: PinState; hasLock: boolean; seenAt: Date; gone: boolean }
  /** The server was seen, and does not have the tool. */
  | { kind: "unlisted"; hasLock: boolean }
  | { kind: "never_seen" }
  | { kind: "no_database"; reason: string };

export type FindKnownTool = (project: Project, server: string, tool: string) => Promise<KnownTool>;

const NO_DATABASE: KnownTool = {
  kind: "no_database",
  reason: "no database of this project is running or named by DATABASE_URL",
};

/** Without `findKnown` nothing but files is read. */
export function registerExplain(program: Command, findKnown?: FindKnownTool): void {
  program
    .command("explain")
    .description("say what the policy would answer to a call, and which line of which file decides")
    .argument("<agent>", "name of an agent or a profile")
    .argument("<server.tool>", "the tool, with the name under which the agent or profile knows its server")
    .option("--args <json>", "the arguments of the call, which conditions look at", "{}")
    .option("--json", "print the decision with its trace")
    .action(async (agent: string, tool: string, options: ExplainOptions) => {
      const project = getProject(env.KIMITSU_PROJECT, {
        env: env.KIMITSU_ENV,
        deployment: { allowStdio: true, allowBypass: env.KIMITSU_ALLOW_BYPASS },
        // No answer of the policy depends on the value of a variable.
        processEnv: {},
      });
      const found = findTool(findAgent(project, agent), tool);
      const known = findKnown ? await findKnown(project, found.server.server.name, found.tool) : NO_DATABASE;
      console.log(explain(project, { agent, tool, allowBypass: env.KIMITSU_ALLOW_BYPASS, known, ...options }));
    });
}

interface ExplainInput extends ExplainOptions {
  agent: string;
  tool: string;
  allowBypass: boolean;
  known?: KnownTool;
}

/**
 * The text that the command prints. Throws for an agent or a server that is not there, and for arguments that are not
 * JSON.
 */
export function explain(project: Project, input: ExplainInput): string {
  const agent = findAgent(project, input.agent);
  const { server, tool } = findTool(agent, input.tool);
  const facts = factsOf(server.server, tool);
  const call = {
    server: server.name,
    definition: server.server.name,
    tool,
    arguments: parseArguments(input.args ?? "{}"),
  };
  const known = input.known ?? NO_DATABASE;
  const decision = judgeByProject({
    project,
    scopes: [toAgentScope(project, agent)],
    call,
    server: server.server,
    tool: toPolicyTool(known),
    hasLock: known.kind === "seen" || known.kind === "unlisted" ? known.hasLock : true,
    deployment: { allowBypass: input.allowBypass },
  });
  const note = describeKnown(tool, known, facts?.annotations !== undefined || facts?.danger !== undefined);
  const params = listParamWays(project, agent, server);
  return input.json
    ? jsonBlock({
        ...(isClientWorkflow(agent.name) ? { profile: profileOfWorkflow(agent.name) } : { agent: agent.name }),
        ...call,
        ...decision,
        definition_from: known.kind === "seen" ? "database" : "files",
        note,
        params,
      })
    : describe({ tool: input.tool, decision, known, note, params, isClient: isClientWorkflow(agent.name) });
}

/** The server is not asked: the answer must not depend on who is reachable from here. */
function toPolicyTool(known: KnownTool): CallInProject["tool"] {
  if (known.kind === "seen")
    return {
      listing: known.gone ? "unlisted" : "listed",
      annotations: known.definition.annotations,
      pin: known.pin,
      hidesText: hidesText(known.definition),
    };
  return { listing: known.kind === "unlisted" ? "unlisted" : "listed", annotations: undefined };
}

const PINS: Record<PinState, string> = {
  pinned: "as in tools.lock.yaml",
  trusted_first_use: "trusted on first use",
  changed: "changed since it was trusted",
  renamed: "renamed since it was trusted",
  new: "never trusted",
};

function describeKnown(tool: string, known: KnownTool, isStated: boolean): string {
  if (known.kind === "seen")
    return `Judged by the definition of ${tool} that the database knows: last seen ${known.seenAt.toISOString()}, ${PINS[known.pin]}.`;
  if (known.kind === "unlisted") return `The database knows the list of this server, and ${tool} is not on it.`;
  const why = known.kind === "never_seen" ? "the database has never seen this server" : known.reason;
  const files = isStated
    ? "Judged by the files alone"
    : `The server file says nothing about ${tool}, and the server itself was not asked: its annotations are taken as unknown`;
  return `${files} (${why}); a changed or new definition would be seen only there.`;
}

const SENTENCE = { allow: "runs without asking", deny: "is refused", ask: "waits for a person" } as const;

interface Explained {
  tool: string;
  decision: PolicyDecision;
  known: KnownTool;
  note: string;
  params: ReturnType<typeof listParamWays>;
  isClient: boolean;
}

function describe({ tool, decision, known, note, params, isClient }: Explained): string {
  const isKnown = known.kind === "seen" || known.kind === "unlisted";
  const own = decision.trace.filter((entry) => isKnown || (entry.layer !== "tool_list" && entry.layer !== "pin"));
  const width = Math.max(...own.map((entry) => entry.layer.length));
  const lines = own.map((entry) => {
    const source = entry.source && entry.source.file !== "" ? `  ${formatSourceLocation(entry.source)}` : "";
    return `  ${entry.outcome.padEnd(5)} ${entry.layer.padEnd(width)}  ${entry.reason}${source}`;
  });
  const why = decision.decision === "allow" ? "" : `: ${decision.reason}`;
  return [
    `${tool} ${SENTENCE[decision.decision]}${why}`,
    ...lines,
    ...describeRule(decision, isClient),
    note,
    ...params.flatMap(describeParams),
  ].join("\n");
}

function describeParams({ steps, params }: Explained["params"][number]): string[] {
  if (params.length === 0) return [];
  const width = Math.max(...params.map(({ name }) => name.length));
  const where = steps.length > 0 ? ` in ${steps.join(", ")}` : "";
  return [
    `Params of the server${where}:`,
    ...params.map(
      ({ name, value, origin, source }) =>
        `  ${name.padEnd(width)}  ${origin === "missing" ? "no value" : toLine(value)}  (${origin}, ${source})`,
    ),
  ];
}

const toLine = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function describeRule(decision: PolicyDecision, isClient: boolean): string[] {
  if (decision.decision !== "ask") return [];
  const { approvers, minApprovals, onReject, timeoutMs, timeoutBehavior } = decision.rule;
  const people = `${minApprovals} of ${approvers.length > 0 ? approvers.join(", ") : "any reviewer"}`;
  const timeout = timeoutMs === null ? "no timeout" : `after ${timeoutMs / 1000} s: ${timeoutBehavior}`;
  const rejected = isClient ? "the client gets a rejection as the tool's error" : `a rejection means ${onReject}`;
  return [`Approval: ${people}; ${rejected}; ${timeout}.`];
}

/** Of an agent and a profile with one name the agent is meant; `profile:NAME` means the profile. */
function findAgent(project: Project, name: string): ProjectAgent {
  const agent = listAgents(project).find((each) => each.name === name) ?? findProfile(project, name)?.agent;
  if (agent) return agent;
  const known = [...listAgents(project).map((each) => each.name), ...Object.keys(project.profiles)];
  throw new KimitsuError(
    "not_found",
    `There is no agent or profile "${name}"; ${suggest(name, known, "agents and profiles") ?? "the project has none"}`,
  );
}

/** Server names may contain dots in neither form, but tools may: the longest matching server name is meant. */
function findTool(agent: ProjectAgent, text: string): { server: ProjectAgentServer; tool: string } {
  const fitting = agent.servers.filter(
    (server) => text.startsWith(`${server.name}.`) && text.length > server.name.length + 1,
  );
  const [server] = fitting.toSorted((left, right) => right.name.length - left.name.length);
  if (server) return { server, tool: text.slice(server.name.length + 1) };
  const names = agent.servers.map((entry) => `${entry.name}.TOOL`);
  throw new KimitsuError(
    "invalid_request",
    `"${text}" names no tool of ${isClientWorkflow(agent.name) ? shownOwner(agent.name) : `agent "${agent.name}"`}; write ${names.join(" or ") || "SERVER.TOOL (the agent has no servers)"}`,
  );
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KimitsuError(
      "invalid_request",
      `--args is not JSON (${(error as Error).message}); write --args '{"id": 7}'`,
    );
  }
}
