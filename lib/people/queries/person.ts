import type { Role } from "@/lib/people/rules/roles";
import type { Prisma } from "@/lib/database/generated/client";

export interface Person {
  id: string;
  email: string;
  name: string;
  role: Role;
  groups: string[];
  disabled: boolean;
  hasPassword: boolean;
  providers: string[];
  lastSignInAt: Date | null;
  createdAt: Date;
}

export const personSelect = {
  id: true,
  email: true,
  name: true,
  role: true,
  passwordHash: true,
  disabledAt: true,
  lastSignInAt: true,
  createdAt: true,
  accounts: { select: { provider: true } },
  memberships: { select: { group: { select: { name: true } } } },
} satisfies Prisma.UserSelect;

export function toPerson(row: Prisma.UserGetPayload<{ select: typeof personSelect }>): Person {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    groups: row.memberships.map((membership) => membership.group.name).sort(),
    disabled: row.disabledAt !== null,
    hasPassword: row.passwordHash !== null,
    providers: row.accounts.map((account) => account.provider),
    lastSignInAt: row.lastSignInAt,
    createdAt: row.createdAt,
  };
}
