import type { Db } from "@/lib/database/client";

export interface GroupWithMembers {
  id: string;
  name: string;
  description: string;
  members: { id: string; name: string; email: string; fromProject: boolean }[];
  /** Addresses that policy.yaml names and that have no account. */
  withoutAccount: string[];
}

/** All groups by name; there are as many as an organisation has teams, so they are not paged. */
export async function listGroups(db: Db): Promise<GroupWithMembers[]> {
  const rows = await db.group.findMany({
    orderBy: { name: "asc" },
    include: {
      members: {
        include: { user: { select: { id: true, name: true, email: true } } },
        orderBy: { user: { name: "asc" } },
      },
    },
  });
  const named = [...new Set(rows.flatMap((row) => row.projectMembers))];
  const accounts = new Set(
    (await db.user.findMany({ where: { email: { in: named } }, select: { email: true } })).map(({ email }) => email),
  );
  return rows.map(({ id, name, description, members, projectMembers }) => ({
    id,
    name,
    description,
    members: members.map(({ user, fromProject }) => ({ ...user, fromProject })),
    withoutAccount: projectMembers.filter((email) => !accounts.has(email)),
  }));
}
