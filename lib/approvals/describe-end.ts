/** How a question ended, in words, for somebody who decides too late. */
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";

export function describeEnd(approval: ApprovalView): string {
  const at = approval.decidedAt?.toISOString() ?? "";
  const last = approval.decisions.at(-1);
  switch (approval.status) {
    case "expired":
      return `Approval ${approval.id} expired at ${at}; nothing was changed.`;
    case "cancelled":
      return `Approval ${approval.id} was withdrawn at ${at}, because its run ended or its call is asked anew; nothing was changed.`;
    default:
      return `Approval ${approval.id} was already ${approval.status}${last ? ` by ${last.user.name}` : ""} at ${at}; nothing was changed.`;
  }
}

export const endIssues = ({ id, decisions }: ApprovalView) =>
  decisions.map(({ verdict, user, at }) => ({
    path: id,
    message: `${verdict} by ${user.name} at ${at.toISOString()}`,
  }));
