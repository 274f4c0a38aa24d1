import { Prisma } from "@/lib/store/generated/client";

/** Whether the person `u` may decide where `approvers`, roles or groups, are named: the same as in the domain's eligibility.ts, of the moment of the statement. */
export function mayDecide(approvers: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`u.disabled_at IS NULL AND u.role <> 'viewer'
          AND (cardinality(${approvers}) = 0
            OR EXISTS (SELECT 1 FROM unnest(${approvers}) AS named (name) JOIN unnest(enum_range(NULL::role)) AS known (role) ON known.role::text = named.name WHERE u.role >= known.role)
            OR EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = u.id AND g.name = ANY (${approvers})))`;
}
