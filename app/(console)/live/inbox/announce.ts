import type { Policy } from "@/lib/config/policy-schema";

type Announced = "approval.requested" | "approval.escalated";
const isAnnounced = (type: string): type is Announced => type === "approval.requested" || type === "approval.escalated";

/** Whether the project's channels of type `browser` tell people about this. A call without approvers is anyone's, so every group's too. */
export function announces(policy: Policy | null | undefined, type: string, approvers: readonly string[]): boolean {
  if (!isAnnounced(type)) return false;
  return (policy?.channels ?? []).some(
    (channel) => channel.type === "browser" && channel.events.includes(type) && (channel.groups === undefined || approvers.length === 0 || channel.groups.some((group) => approvers.includes(group))),
  );
}
