/**
 * From a call and a loaded project to the policy's answer. The only place that assembles the policy's input: worker,
 * reviewers' edits, the console and the command line differ only in what they know of the tool.
 */
import type { Project, ProjectServer } from "@/lib/config/project";
import { toProjectPermissions } from "./agent-scope";
import { decide } from "./decide";
import type { PolicyDecision } from "./policy-answer";
import type { AgentScope, PolicyContext, ToolView } from "./policy-input";

export type ToolFacts = NonNullable<ProjectServer["definition"]["tools"]>[string];

export interface CallInProject {
  /** The project whose policy.yaml applies. */
  project: Pick<Project, "locate" | "policy">;
  /** The agents whose rules apply, outermost first; the calling agent is last. */
  scopes: readonly AgentScope[];
  /** `server` is the name under which the agent uses it. */
  call: { server: string; tool: string; arguments: unknown };
  /** Undefined: the agent has no server of that name. */
  server: ProjectServer | undefined;
  /**
   * What is known of the tool; without a `pin` it is taken as pinned, because that is checked when the call is sent.
   */
  tool: Pick<ToolView, "annotations" | "listing" | "hidesText"> & Partial<Pick<ToolView, "pin">>;
  /** Facts that replace those in the server's own file. */
  facts?: ToolFacts | undefined;
  hasLock: boolean;
  /** Left out: nothing was spent, and the run has no limit of its own. */
  spending?: Omit<PolicyContext["budget"], "estimatedUsd">;
  deployment: PolicyContext["deployment"];
}

const NOTHING_SPENT = { usedUsd: 0, toolsUsedUsd: 0, limitUsd: null } as const;

export function judgeByProject(asked: CallInProject): PolicyDecision {
  const { project, scopes, call, server, tool, hasLock, deployment } = asked;
  const facts = asked.facts ?? factsOf(server, call.tool) ?? {};
  return decide(
    { server: call.server, definition: server?.name ?? call.server, tool: call.tool, arguments: call.arguments },
    {
      scopes,
      project: toProjectPermissions(project),
      tool: { pin: "pinned", ...tool, facts },
      hasLock,
      budget: { ...(asked.spending ?? NOTHING_SPENT), estimatedUsd: facts.cost_usd ?? 0 },
      deployment,
    },
  );
}

/** What the server's file says of a tool; undefined when it says nothing. */
export function factsOf(server: ProjectServer | undefined, tool: string): ToolFacts | undefined {
  const stated = server?.definition.tools;
  return stated && Object.hasOwn(stated, tool) ? stated[tool] : undefined;
}
