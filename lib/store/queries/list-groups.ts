import type { Db } from "@/lib/store/client";

export interface GroupWithMembers {
  id: string;
  name: string;
  description: string;
  members: { id: string; name: string; email: string }[];
}

/** All groups by name; there are as many as an organisation has teams, so they are not paged. */
export async function listGroups(db: Db): Promise<GroupWithMembers[]> {
  const rows = await db.group.findMany({
    orderBy: { name: "asc" },
    include: { members: { include: { user: { select: { id: true, name: true, email: true } } }, orderBy: { user: { name: "asc" } } } },
  });
  return rows.map((row) => ({ id: row.id, name: row.name, description: row.description, members: row.members.map((member) => member.user) }));
}
