import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/database/client";
import { type Person, personSelect, toPerson } from "@/lib/people/queries/person";

export async function getPerson(db: Db, userId: string): Promise<Person> {
  const row = await db.user.findUnique({ where: { id: userId }, select: personSelect });
  if (!row) throw new KimitsuError("not_found", `There is no person ${userId}.`);
  return toPerson(row);
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | null> {
  const row = await db.user.findUnique({ where: { email: email.trim().toLowerCase() }, select: personSelect });
  return row && toPerson(row);
}

/** The person that the command line acts for when none is named. */
export async function findFirstAdmin(db: Db): Promise<Person | null> {
  const row = await db.user.findFirst({
    where: { role: "admin", disabledAt: null },
    orderBy: { id: "asc" },
    select: personSelect,
  });
  return row && toPerson(row);
}
