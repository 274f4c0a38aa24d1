import type { DangerLevel } from "@/lib/domain/danger";
import { ROLES, type Role, roleAllows } from "@/lib/domain/roles";
import { Prisma } from "@/lib/store/generated/client";

/** Who looks at the inbox. */
export interface InboxReader {
  userId: string;
  role: Role;
  groups: readonly string[];
}

export interface InboxFilter {
  danger?: DangerLevel;
  workflow?: string;
  agent?: string;
  /** Only what the reader could decide. */
  mine?: boolean;
}

/**
 * Which rows of `approvals a` fit; null when none can. The status is written out and not passed along: the indexes of the inbox hold pending
 * rows only, and Postgres uses them only for a query that says so itself.
 */
export function inboxWhere(reader: InboxReader, filter: InboxFilter): Prisma.Sql | null {
  const parts = [Prisma.sql`a.status = 'pending'`];
  if (filter.danger !== undefined) parts.push(Prisma.sql`a.danger = ${filter.danger}::danger`);
  if (filter.workflow !== undefined) parts.push(Prisma.sql`a.workflow = ${filter.workflow}`);
  if (filter.agent !== undefined) parts.push(Prisma.sql`a.agent = ${filter.agent}`);
  if (filter.mine) {
    if (!roleAllows(reader.role, "approvals:decide")) return null;
    parts.push(decidableBy(reader));
  }
  return Prisma.join(parts, " AND ");
}

/** What lib/domain/eligibility.ts says about one approval, said in SQL for lists; a decision is judged by that file alone. */
function decidableBy(reader: InboxReader): Prisma.Sql {
  const names = [...reader.groups, ...ROLES.slice(0, ROLES.indexOf(reader.role) + 1)];
  return Prisma.sql`(cardinality(a.approvers) = 0 OR a.approvers && ${names}::text[])
    AND (a.self_approval OR NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = a.run_id AND r.started_by_user_id = ${reader.userId}))
    AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.approval_id = a.id AND d.user_id = ${reader.userId})`;
}
