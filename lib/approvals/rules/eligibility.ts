/**
 * Whether a person may decide an approval, and if not, who could. Judged at the moment of the decision, never before.
 */
import { type Role, ROLES, roleAllows } from "@/lib/people/rules/roles";

export interface Decider {
  userId: string;
  role: Role;
  groups: readonly string[];
}

export interface Deciding {
  /** Roles or groups; empty means any reviewer. */
  approvers: readonly string[];
  selfApproval: boolean;
  /** Who started the run, or a run that it retries. */
  starterIds: readonly string[];
}

export function refusalToDecide(decider: Decider, approval: Deciding): string | null {
  if (!roleAllows(decider.role, "approvals:decide"))
    return `The role ${decider.role} does not include deciding; ${whoCan(approval)}.`;
  if (!approval.selfApproval && approval.starterIds.includes(decider.userId))
    return `Whoever started a run cannot decide its calls; ${whoCan(approval)}.`;
  if (approval.approvers.length === 0) return null;
  const isNamed = approval.approvers.some((name) => decider.groups.includes(name) || isRoleAtLeast(decider.role, name));
  return isNamed ? null : `This call is for ${approval.approvers.join(" or ")} to decide; ${whoCan(approval)}.`;
}

/** A role includes every role above it; an admin may decide for others only where the rule names a role. */
function isRoleAtLeast(role: Role, name: string): boolean {
  return (ROLES as readonly string[]).includes(name) && ROLES.indexOf(role) >= ROLES.indexOf(name as Role);
}

export function whoCan({ approvers, selfApproval }: Deciding): string {
  const who = approvers.length === 0 ? "any reviewer" : `anyone of ${approvers.join(" or ")}`;
  return `${who}${selfApproval ? "" : " who did not start the run"} can`;
}
