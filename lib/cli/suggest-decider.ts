import { ROLES } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";
import { findFirstAdmin } from "@/lib/people/queries/get-person";
import { findDecider } from "@/lib/approvals/queries/list-deciders";

/**
 * The option that makes `kimitsu approve` and `reject` act as somebody who may decide: empty for the first admin, null
 * when nobody may.
 */
export async function suggestDecider(db: Db, approval: ApprovalView): Promise<string | null> {
  const email = await findDecider(
    db,
    approval,
    approval.decisions.map(({ user }) => user.id),
  );
  if (email === null) return null;
  return (await findFirstAdmin(db))?.email === email ? "" : ` --user ${email}`;
}

/** Commands that will not be refused: whoever started a run may not decide its calls. */
export async function describeWays(db: Db, approval: ApprovalView): Promise<string> {
  const as = await suggestDecider(db, approval);
  return as === null
    ? nobodyCan(approval)
    : `kimitsu approve ${approval.id}${as}   or   kimitsu reject ${approval.id} --reason "…"${as}`;
}

/** Whom to add, so that somebody may: of a group only its members may decide, whatever their role. */
export function nobodyCan({ approvers, selfApproval }: Pick<ApprovalView, "approvers" | "selfApproval">): string {
  const role = approvers.length === 0 ? "reviewer" : ROLES.find((name) => approvers.includes(name));
  const add = role
    ? `\`kimitsu user create --email … --role ${role}\` adds someone`
    : "add someone to it, under Settings, Groups, or in policy.yaml";
  return `nobody who is active may decide it: it is for ${approvers.join(" or ") || "any reviewer"}${selfApproval ? "" : ", and not for whoever started the run"}; ${add}`;
}
