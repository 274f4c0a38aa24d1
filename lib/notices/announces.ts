import type { Policy } from "@/lib/config/policy-schema";
import { asksForDecision, isWanted, type NoticeType } from "@/lib/notices/rules/notice";

/** Whether the project's channels of type `browser` announce this event. */
export function announces(policy: Policy | null | undefined, type: string, approvers: readonly string[]): boolean {
  const known = type as NoticeType;
  return (
    asksForDecision(known) &&
    (policy?.channels ?? []).some((channel) => channel.type === "browser" && isWanted(channel, known, approvers))
  );
}
