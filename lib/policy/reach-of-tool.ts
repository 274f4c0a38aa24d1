/**
 * What the policy could ever say to calls of a tool, whatever their arguments: conditions on arguments are taken as they
 * may turn out. Judged by the policy itself, with the conditions of its rules replaced.
 */
import type { PermissionRule } from "@/lib/config/permission-schema";
import { type CallInProject, judgeByProject } from "./judge-by-project";
import type { PolicyDecision } from "./policy-answer";
import type { AgentScope, Grant, PlacedRule } from "./policy-input";

export interface ToolReach {
  /** False: every call is denied. */
  isReachable: boolean;
  /** True: a person may be asked about some call. */
  mayAsk: boolean;
  /** The answer to a call without arguments. */
  plain: PolicyDecision;
  /** True: other arguments may be answered otherwise. */
  dependsOnArguments: boolean;
}

type ToolInProject = Omit<CallInProject, "call" | "spending"> & { tool: CallInProject["tool"] };

export function reachOfTool(asked: ToolInProject & { name: { server: string; tool: string } }): ToolReach {
  const { name, ...rest } = asked;
  const call = { ...name, arguments: {} };
  const judge = (rules: RuleFilter, grants: (grant: Grant) => Grant) =>
    judgeByProject({
      ...rest,
      call,
      project: withRules(rest.project, rules),
      scopes: rest.scopes.map((scope) => withScope(scope, rules, grants)),
    });
  const open = judge(withoutConditionalDenials, asIs).decision;
  const strict = judge(asIfAsked, alwaysAsking).decision;
  const free = judge(withoutConditions, askingWithoutCondition).decision;
  return {
    isReachable: open !== "deny",
    mayAsk: strict === "ask",
    plain: judge((rules) => [...rules], asIs),
    dependsOnArguments: new Set([open, strict, free]).size > 1,
  };
}

type RuleFilter = <T extends PermissionRule | PlacedRule>(rules: readonly T[]) => T[];

const asIs = (grant: Grant): Grant => grant;

/** As if no condition were ever met. */
const withoutConditions: RuleFilter = (rules) => rules.filter(({ when }) => when === undefined);

const askingWithoutCondition = (grant: Grant): Grant =>
  grant.requireApproval?.when === undefined ? grant : { ...grant, requireApproval: null };

/** A rule with a condition denies some calls and not all of them. */
const withoutConditionalDenials: RuleFilter = (rules) =>
  rules.filter(({ when, decision }) => when === undefined || decision !== "deny");

/** Rules that may or may not fit count where they ask, and nowhere else. */
const asIfAsked: RuleFilter = (rules) =>
  rules
    .filter(({ when, decision }) => when === undefined || decision === "ask")
    .map((rule) => ({ ...rule, when: undefined }));

const alwaysAsking = (grant: Grant): Grant =>
  grant.requireApproval ? { ...grant, requireApproval: { ...grant.requireApproval, when: undefined } } : grant;

function withRules(project: CallInProject["project"], filter: RuleFilter): CallInProject["project"] {
  const permissions = project.policy?.permissions;
  if (!project.policy || !permissions?.rules) return project;
  return {
    locate: project.locate,
    policy: { ...project.policy, permissions: { ...permissions, rules: filter(permissions.rules) } },
  };
}

function withScope(scope: AgentScope, filter: RuleFilter, grants: (grant: Grant) => Grant): AgentScope {
  return {
    ...scope,
    servers: scope.servers.map((server) => ({ ...server, grants: server.grants.map(grants) })),
    permissions: { ...scope.permissions, rules: scope.permissions.rules && filter(scope.permissions.rules) },
  };
}
