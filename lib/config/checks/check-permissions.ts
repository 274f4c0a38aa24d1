/** Approval rules that name people who exist, and modes that the deployment allows. */
import type { Agent } from "@/lib/config/agent-schema";
import { isUnknown, report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Permissions, RequireApproval } from "@/lib/config/permission-schema";
import { DECIDING_ROLES, ROLES } from "@/lib/config/policy-schema";
import { findNearest, suggest, type ValuePath } from "@/lib/config/problem";
import { ownerKind } from "@/lib/config/profile-parts";
import type { YamlSource } from "@/lib/config/yaml-source";
import { checkSlip } from "./check-expressions";

export function checkPermissions(
  draft: Draft,
  source: YamlSource,
  at: ValuePath,
  permissions: Permissions | undefined,
): void {
  for (const [index, rule] of (permissions?.rules ?? []).entries())
    checkSlip(draft, source, [...at, "rules", index, "when"], rule.when);
  if (permissions?.mode !== "bypass" || draft.deployment.allowBypass) return;
  report(draft, source, [...at, "mode"], 'this deployment does not allow the mode "bypass"', {
    hint: 'use "default", or set KIMITSU_ALLOW_BYPASS=1 where Kimitsu runs',
  });
}

export function checkApprovalRules(draft: Draft): void {
  for (const agent of draft.agents) {
    for (const { at, rule } of listApprovalRules(agent)) {
      checkNames(draft, agent.source, [...at, "approvers"], rule.approvers ?? []);
      checkNames(draft, agent.source, [...at, "escalate", "to"], rule.escalate?.to ?? []);
      checkSlip(draft, agent.source, [...at, "when"], rule.when);
      checkSatisfiable(draft, agent, at, rule);
    }
  }
  for (const [index, channel] of (draft.policy?.definition.channels ?? []).entries()) {
    if (draft.policy) checkNames(draft, draft.policy.source, ["channels", index, "groups"], channel.groups ?? []);
  }
}

export function listApprovalRules({ definition }: Loaded<Agent>): { at: ValuePath; rule: RequireApproval }[] {
  return definition.servers.flatMap((server, index) =>
    (server.access?.allowlist ?? []).flatMap((entry, position) => {
      if (typeof entry === "string" || entry.require_approval === undefined) return [];
      return [
        { at: ["servers", index, "access", "allowlist", position, "require_approval"], rule: entry.require_approval },
      ];
    }),
  );
}

function checkNames(draft: Draft, source: YamlSource, at: ValuePath, names: readonly string[]): void {
  if (draft.broken.has("policy.yaml") || isUnknown(draft, "policy.yaml", "groups", "*")) return;
  const groups = Object.keys(draft.policy?.definition.groups ?? {});
  for (const [index, name] of names.entries()) {
    if (groups.includes(name) || (DECIDING_ROLES as readonly string[]).includes(name)) continue;
    const known = [...DECIDING_ROLES, ...groups];
    if ((ROLES as readonly string[]).includes(name)) {
      report(draft, source, [...at, index], `the role ${JSON.stringify(name)} cannot decide`, {
        hint: suggest(name, known, "roles and groups that can"),
      });
      continue;
    }
    const hint = findNearest(name, known) === undefined ? "; declare groups in policy.yaml under `groups`" : "";
    report(draft, source, [...at, index], `no role or group ${JSON.stringify(name)}`, {
      hint: `${suggest(name, known, "roles and groups")}${hint}`,
    });
  }
}

/** Only groups whose members are listed can be counted; a role may be held by anyone. */
function checkSatisfiable(draft: Draft, agent: Loaded<Agent>, at: ValuePath, rule: RequireApproval): void {
  const groups = draft.policy?.definition.groups ?? {};
  const names = [...new Set([...(rule.approvers ?? []), ...(rule.escalate?.to ?? [])])];
  if (rule.approvers === undefined) return;
  const members = new Set<string>();
  for (const name of names) {
    const listed = Object.hasOwn(groups, name) ? groups[name]?.members : undefined;
    if (listed === undefined || listed.length === 0) return;
    for (const member of listed) members.add(member.toLowerCase());
  }
  const isOfClient = ownerKind(agent.definition.name) === "profile";
  const field = [...at, rule.min_approvals > 1 ? "min_approvals" : "approvers"];
  if (rule.min_approvals > members.size) {
    report(
      draft,
      agent.source,
      field,
      `nobody can satisfy this rule: it needs ${rule.min_approvals} approvals, but ${names.join(" and ")} ${members.size === 1 ? "has one member" : `have ${members.size} members`}`,
      {
        hint: "lower `min_approvals`, list more members in policy.yaml, or list none there and add all of them in the console",
      },
    );
  } else if (rule.min_approvals === members.size && !rule.self_approval && members.size > 1) {
    report(
      draft,
      agent.source,
      field,
      `needs every known member of ${names.join(" and ")}, and none of them may ${isOfClient ? "be the one whose client asks" : "have started the run"}`,
      {
        severity: "warning",
        hint: "add a member, or allow `self_approval`",
      },
    );
  }
}
