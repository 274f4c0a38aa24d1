import type { DangerLevel } from "@/lib/policy/danger";
import { ROLES, type Role, roleAllows } from "@/lib/people/rules/roles";
import { Prisma } from "@/lib/database/generated/client";
import { isStarter } from "@/lib/runs/queries/starters-sql";

/** The person who reads the inbox. */
export interface InboxReader {
  userId: string;
  role: Role;
  groups: readonly string[];
}

export interface InboxFilter {
  danger?: DangerLevel;
  workflow?: string;
  agent?: string;
  /** `server.tool` */
  tool?: string;
  /** Only what the reader could decide. */
  mine?: boolean;
  /** What the reader has set aside, or all the rest; both if absent. */
  aside?: { only: boolean; now: Date };
}

/**
 * Which rows of `approvals a` match; null when none can. The status is a literal, not a parameter: the inbox indexes
 * hold only pending rows, and Postgres uses them only if the query text says so.
 */
export function inboxWhere(reader: InboxReader, filter: InboxFilter): Prisma.Sql | null {
  const parts = [Prisma.sql`a.status = 'pending'`];
  if (filter.danger !== undefined) parts.push(Prisma.sql`a.danger = ${filter.danger}::danger`);
  if (filter.workflow !== undefined) parts.push(Prisma.sql`a.workflow = ${filter.workflow}`);
  if (filter.agent !== undefined) parts.push(Prisma.sql`a.agent = ${filter.agent}`);
  if (filter.tool !== undefined) {
    // A server's name has no dot; a tool's name may.
    const [server = "", ...tool] = filter.tool.split(".");
    parts.push(Prisma.sql`a.server = ${server} AND a.tool = ${tool.join(".")}`);
  }
  if (filter.mine) {
    const open = isOpenTo(reader);
    if (open === null) return null;
    parts.push(
      open,
      Prisma.sql`(a.self_approval OR NOT coalesce((SELECT ${isStarter(reader.userId)} FROM runs r WHERE r.id = a.run_id), false))`,
    );
  }
  if (filter.aside)
    parts.push(filter.aside.only ? isAside(reader, filter.aside.now) : isNotAside(reader, filter.aside.now));
  return Prisma.join(parts, " AND ");
}

/**
 * The rule of lib/approvals/rules/eligibility.ts in SQL, for lists; a decision is judged by that file alone. It leaves
 * out who started the run, which is in another table: a page checks that row by row, a count all at once. Null when the
 * reader's role may decide nothing.
 */
export function isOpenTo(reader: InboxReader): Prisma.Sql | null {
  if (!roleAllows(reader.role, "approvals:decide")) return null;
  const names = [...reader.groups, ...ROLES.slice(0, ROLES.indexOf(reader.role) + 1)];
  return Prisma.sql`(cardinality(a.approvers) = 0 OR a.approvers && ${names}::text[])
    AND ${reader.userId} <> ALL (a.deciders)`;
}

/** Set aside by the reader, not due yet, and unchanged since. */
const isAside = (reader: InboxReader, now: Date): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT 1 FROM set_asides s WHERE s.user_id = ${reader.userId} AND s.approval_id = a.id AND ${isHeld(now)})`;

/** A lookup per row of a page: NOT EXISTS would become a join over everything that anyone has set aside. */
const isNotAside = (reader: InboxReader, now: Date): Prisma.Sql =>
  Prisma.sql`NOT coalesce((SELECT ${isHeld(now)} FROM set_asides s WHERE s.user_id = ${reader.userId} AND s.approval_id = a.id), false)`;

const isHeld = (now: Date): Prisma.Sql => Prisma.sql`(s.version = a.version AND (s.until IS NULL OR s.until > ${now}))`;
