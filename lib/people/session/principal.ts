import type { Actor } from "@/lib/people/rules/actor";
import type { Preferences } from "@/lib/people/rules/preferences";
import { type Role, roleAllows, type Scope } from "@/lib/people/rules/roles";

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  role: Role;
  groups: string[];
}

/**
 * Who makes a request: a person in a browser, or a token that acts as a person. Read from the database for each
 * request.
 */
export interface Principal {
  user: SignedInUser;
  token?: { id: string; name: string; scopes: Scope[] };
  /** Which of the person's sessions it is, in a browser. */
  session?: { id: string; version: number };
  /** Where the request came from. */
  address?: string;
}

/** A person in a browser. */
export interface Session extends Principal {
  preferences: Preferences;
}

/** A token may do what its person may do and its scopes name; `admin` does not include the others. */
export function can(principal: Principal, scope: Scope): boolean {
  return (
    roleAllows(principal.user.role, scope) && (principal.token === undefined || principal.token.scopes.includes(scope))
  );
}

/** How a principal is recorded on the audit trail: a token's person is named as well. */
export function actorOf(principal: Principal): Actor {
  const { user, token, address } = principal;
  const actor: Actor = token
    ? { kind: "token", id: token.id, name: token.name, userId: user.id }
    : { kind: "user", id: user.id, name: user.name };
  return address ? { ...actor, address } : actor;
}
