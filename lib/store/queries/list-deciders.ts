import { ROLES, type Role, roleAllows } from "@/lib/domain/roles";
import type { Db } from "@/lib/store/client";

const NAMES_MAX = 5;

export interface Deciders {
  names: string[];
  more: number;
}

/** The people who could still decide an approval. An empty list means that it waits for nobody, which someone has to repair. */
export async function listDeciders(db: Db, approval: { approvers: readonly string[]; selfApproval: boolean; startedByUserId: string | null }, decidedBy: readonly string[]): Promise<Deciders> {
  const able = ROLES.filter((role) => roleAllows(role, "approvals:decide"));
  const named = lowestNamed(approval.approvers);
  const byRole = named === null ? [] : able.filter((role) => ROLES.indexOf(role) >= ROLES.indexOf(named));
  const where = {
    disabledAt: null,
    role: { in: able },
    ...(approval.approvers.length === 0 ? {} : { OR: [{ role: { in: byRole } }, { memberships: { some: { group: { name: { in: [...approval.approvers] } } } } }] }),
    id: { notIn: approval.selfApproval || approval.startedByUserId === null ? [...decidedBy] : [...decidedBy, approval.startedByUserId] },
  };
  const [people, count] = await Promise.all([db.user.findMany({ where, orderBy: { name: "asc" }, take: NAMES_MAX, select: { name: true } }), db.user.count({ where })]);
  return { names: people.map((person) => person.name), more: count - people.length };
}

/** A role stands for itself and every role above it, so the lowest one that is named says all. */
function lowestNamed(approvers: readonly string[]): Role | null {
  return ROLES.find((role) => approvers.includes(role)) ?? null;
}
