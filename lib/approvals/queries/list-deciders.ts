import { ROLES, type Role, roleAllows } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";

const NAMES_MAX = 5;

interface Asked {
  approvers: readonly string[];
  selfApproval: boolean;
  starterIds: readonly string[];
}

export interface Deciders {
  names: string[];
  more: number;
}

/**
 * The people who could still decide an approval. An empty list means that it waits for nobody, which someone has to
 * fix.
 */
export async function listDeciders(db: Db, approval: Asked, decidedBy: readonly string[]): Promise<Deciders> {
  const where = decidersOf(approval, decidedBy);
  const [people, count] = await Promise.all([
    db.user.findMany({ where, orderBy: { name: "asc" }, take: NAMES_MAX, select: { name: true } }),
    db.user.count({ where }),
  ]);
  return { names: people.map((person) => person.name), more: count - people.length };
}

/** The e-mail address of somebody who could decide, preferably the first admin; null when nobody can. */
export async function findDecider(db: Db, approval: Asked, decidedBy: readonly string[]): Promise<string | null> {
  const person = await db.user.findFirst({
    where: decidersOf(approval, decidedBy),
    orderBy: [{ role: "desc" }, { id: "asc" }],
    select: { email: true },
  });
  return person?.email ?? null;
}

/** The addresses of people who may decide. */
export async function listDeciderAddresses(db: Db, approval: Asked): Promise<string[]> {
  const people = await db.user.findMany({
    where: decidersOf(approval, []),
    orderBy: { email: "asc" },
    select: { email: true },
  });
  return people.map(({ email }) => email);
}

/** The addresses of people who look after runs: settle, retry, review. */
export async function listOperatorAddresses(db: Db): Promise<string[]> {
  const people = await db.user.findMany({
    where: { disabledAt: null, role: { in: ROLES.filter((role) => roleAllows(role, "runs:write")) } },
    orderBy: { email: "asc" },
    select: { email: true },
  });
  return people.map(({ email }) => email);
}

function decidersOf({ approvers, selfApproval, starterIds }: Asked, except: readonly string[]): Prisma.UserWhereInput {
  const able = ROLES.filter((role) => roleAllows(role, "approvals:decide"));
  const named = lowestNamed(approvers);
  const byRole = named === null ? [] : able.filter((role) => ROLES.indexOf(role) >= ROLES.indexOf(named));
  return {
    disabledAt: null,
    role: { in: able },
    ...(approvers.length === 0
      ? {}
      : { OR: [{ role: { in: byRole } }, { memberships: { some: { group: { name: { in: [...approvers] } } } } }] }),
    id: { notIn: selfApproval ? [...except] : [...except, ...starterIds] },
  };
}

/** A role includes every role above it, so the lowest named role is enough. */
function lowestNamed(approvers: readonly string[]): Role | null {
  return ROLES.find((role) => approvers.includes(role)) ?? null;
}
