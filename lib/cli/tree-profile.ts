/** A profile as `kimitsu tree` shows it: its servers, and what becomes of a call of each tool that is named. */
import { listEffectiveParams } from "@/lib/config/effective-params";
import type { AllowlistEntry } from "@/lib/config/permission-schema";
import type { Project, ProjectAgentServer, ProjectProfile } from "@/lib/config/project";
import type { LockedServer } from "@/lib/config/tools-lock";
import { toAgentScope } from "@/lib/policy/agent-scope";
import { judgeByProject } from "@/lib/policy/judge-by-project";
import type { PolicyDecision } from "@/lib/policy/policy-answer";
import type { ToolView } from "@/lib/policy/policy-input";
import { matchesName } from "@/lib/policy/tool-pattern";
import { env } from "@/lib/env";
import type { TreeNode } from "@/lib/cli/tree";

/** By server, its tools in the lock: then patterns can be shown as the tools that they mean. */
type LockedTools = (server: string) => LockedServer["tools"];

export function profileNode(project: Project, profile: ProjectProfile, locked: LockedTools): TreeNode {
  const { mode, prefix } = profile.definition;
  return {
    kind: "profile",
    name: profile.name,
    notes: [`mode ${mode}`, ...(prefix === "never" ? ["names without prefix"] : [])],
    file: profile.file,
    children: profile.agent.servers.map((entry) => serverNode(project, profile, { entry, locked })),
  };
}

function serverNode(
  project: Project,
  profile: ProjectProfile,
  { entry, locked }: { entry: ProjectAgentServer; locked: LockedTools },
): TreeNode {
  const { index, name, server } = entry;
  const allowlist: readonly AllowlistEntry[] = profile.definition.servers[index]?.access?.allowlist ?? ["*"];
  const patterns = allowlist.map((each) => (typeof each === "string" ? each : each.name));
  const ofLock = locked(server.name);
  const known = [...new Set([...Object.keys(ofLock), ...Object.keys(server.definition.tools ?? {})])];
  const named = patterns.flatMap((pattern) => {
    const meant = pattern.endsWith("*") ? known.filter((tool) => matchesName(pattern, tool)) : [];
    return meant.length > 0 ? meant : [pattern];
  });
  return {
    kind: "server",
    name,
    notes: server.origin === "local" ? [] : [server.origin === "builtin" ? "built-in" : "servers.yaml"],
    file: server.file === "" ? null : server.file,
    params: listEffectiveParams(project, profile.agent, entry, null),
    // What the profile names comes first, then what clients cannot reach.
    children: [...new Set([...named, ...known])].map((tool) =>
      toolNode(project, profile, { entry, tool, annotations: ofLock[tool]?.annotations }),
    ),
  };
}

const WORDS: Record<PolicyDecision["decision"], string> = { allow: "allowed", ask: "asks", deny: "denied" };

/** Judged by the files, for a call without arguments; a pattern for tools that are not known says only that. */
function toolNode(
  project: Project,
  profile: ProjectProfile,
  { entry, tool, annotations }: { entry: ProjectAgentServer; tool: string; annotations: ToolView["annotations"] },
): TreeNode {
  const node = { kind: "tool" as const, name: tool, file: null, children: [] };
  if (tool.endsWith("*")) return { ...node, notes: ["by what the server says of its tools"] };
  const decision = judgeByProject({
    project,
    scopes: [toAgentScope(project, profile.agent)],
    call: { server: entry.name, tool, arguments: {} },
    server: entry.server,
    tool: { listing: "listed", annotations },
    hasLock: true,
    deployment: { allowBypass: env.KIMITSU_ALLOW_BYPASS },
  });
  const approvers = decision.decision === "ask" ? decision.rule.approvers : [];
  return { ...node, notes: [[WORDS[decision.decision], approvers.join(", ")].filter(Boolean).join(" ")] };
}
