import { actorOf, type Principal } from "@/lib/people/session/principal";
import type { DecidedBy } from "@/lib/approvals/decide-approval";

/**
 * For operations that are neither public nor authenticate callers themselves: `route()` has authenticated the caller.
 */
export function callerOf(principal: Principal | null): Principal {
  if (!principal) throw new Error("unreachable: an operation that needs a sign-in was run without one");
  return principal;
}

/** A decision has a person; the token that was used is recorded beside them. */
export function deciderOf(principal: Principal | null): DecidedBy {
  const caller = callerOf(principal);
  const { id: userId, name: userName, role, groups } = caller.user;
  return { userId, userName, role, groups, actor: actorOf(caller), tokenId: caller.token?.id ?? null };
}
