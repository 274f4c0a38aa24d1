/**
 * The row of an approval is a copy, for the inbox, of what the journal says: if it differs, somebody has written to the
 * database, and people may have been shown something other than what is asked. Pure.
 */
import { digestOutput } from "@/lib/text/digest";
import type { ApprovalRow } from "@/lib/runs/snapshot";

/** The columns as they are on the row. */
export type ApprovalColumns = Pick<
  ApprovalRow,
  | (
      | "callId"
      | "stepId"
      | "status"
      | "workflow"
      | "agent"
      | "server"
      | "tool"
      | "danger"
      | "summary"
      | "digest"
      | "rule"
    )
  | ("approvers" | "minApprovals" | "approvals" | "selfApproval" | "editable" | "onReject" | "version")
> & { questionDigest: string | null; expiresAt: Date | null };

/** The first difference; null when row and journal agree. */
export function findChangedApproval(row: ApprovalColumns, sealed: ApprovalRow): string | null {
  const named: [name: string, given: unknown, right: unknown][] = [
    ["server", row.server, sealed.server],
    ["tool", row.tool, sealed.tool],
    ["step", row.stepId, sealed.stepId],
    ["call", row.callId, sealed.callId],
    ["danger", row.danger, sealed.danger],
    ["status", row.status, sealed.status],
    ["min_approvals", row.minApprovals, sealed.minApprovals],
    ["self_approval", row.selfApproval, sealed.selfApproval],
    ["approvers", listNames(row.approvers), listNames(sealed.approvers)],
    ["approvals", row.approvals, sealed.approvals],
    ["editable", row.editable, sealed.editable],
    ["on_reject", row.onReject, sealed.onReject],
    ["expires_at", row.expiresAt?.toISOString() ?? null, sealed.expiresAt],
    ["version", row.version, sealed.version],
  ];
  const changed = named.find(([, given, right]) => given !== right);
  if (row.digest !== sealed.digest) return "its arguments are not the sealed ones";
  if (changed) return describeDifference(...changed);
  return isShownAsSealed(row, sealed) ? null : "what it shows is not what was sealed";
}

function isShownAsSealed(row: ApprovalColumns, sealed: ApprovalRow): boolean {
  const isSame = (["workflow", "agent", "summary", "questionDigest"] as const).every(
    (name) => row[name] === sealed[name],
  );
  return isSame && digestOutput(row.rule) === digestOutput(sealed.rule);
}

const describeDifference = (name: string, given: unknown, sealed: unknown): string =>
  `its ${name} is ${show(given)} on the row and ${show(sealed)} on the sealed trail`;

const show = (value: unknown): string => (value === null || value === undefined ? "not set" : String(value));

const listNames = (approvers: readonly string[]): string => approvers.toSorted().join(", ") || "any reviewer";
