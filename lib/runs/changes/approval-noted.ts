/**
 * What people did about an approval without deciding it: it was set aside or brought back, or its record did not agree.
 */
import type { Actor } from "@/lib/people/rules/actor";
import type { EventData } from "@/lib/audit/rules/audit-event";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";

export interface ApprovalNoted extends Change {
  kind: "approval_noted";
  type: "approval.set_aside" | "approval.taken_up" | "approval.mismatched";
  data: EventData;
  actor: Actor;
}

export const approvalNoted: ChangeKind<ApprovalNoted> = {
  kind: "approval_noted",
  events: ({ type, data, actor }) => [{ type, actor, data }],
  apply: () => undefined,
};
