import type { Actor } from "@/lib/people/rules/actor";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { findFirstAdmin, findPersonByEmail } from "@/lib/people/queries/get-person";
import type { Person } from "@/lib/people/queries/person";

/** Whom a command acts as: the person with this e-mail, or the first admin. A disabled person is refused. */
export async function findPerson(deps: EngineDeps, email: string | undefined): Promise<Person> {
  const person = email === undefined ? await findFirstAdmin(deps.db) : await findPersonByEmail(deps.db, email);
  if (person && !person.disabled) return person;
  if (person) throw new KimitsuError("forbidden", `The account of ${person.email} is disabled.`);
  const message =
    email === undefined
      ? "There is no admin yet; `npm start` makes the first one."
      : `There is nobody with the e-mail ${email}.`;
  throw new KimitsuError("not_found", message);
}

export const actorOf = ({ id, name }: Person): Actor => ({ kind: "user", id, name, address: "command line" });

export const deciderOf = (person: Person): DecidedBy => ({
  userId: person.id,
  role: person.role,
  groups: person.groups,
  actor: actorOf(person),
  tokenId: null,
});
