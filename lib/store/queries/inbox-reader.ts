import { ROLES, type Role, roleAllows } from "@/lib/domain/roles";
import type { Prisma } from "@/lib/store/generated/client";

/** Who looks at the inbox. */
export interface InboxReader {
  userId: string;
  role: Role;
  groups: readonly string[];
}

/**
 * The calls that this person could decide now. It says in SQL what lib/domain/eligibility.ts says about one approval, for lists
 * only; a decision is judged by that file alone. Null for people who can decide nothing.
 */
export function decidableBy(reader: InboxReader): Prisma.ApprovalWhereInput | null {
  if (!roleAllows(reader.role, "approvals:decide")) return null;
  const names = [...reader.groups, ...ROLES.slice(0, ROLES.indexOf(reader.role) + 1)];
  return {
    AND: [
      { OR: [{ approvers: { isEmpty: true } }, { approvers: { hasSome: names } }] },
      { OR: [{ selfApproval: true }, { run: { startedByUserId: null } }, { run: { startedByUserId: { not: reader.userId } } }] },
      { decisions: { none: { userId: reader.userId } } },
    ],
  };
}
