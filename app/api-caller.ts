import { actorOf, type Principal } from "@/lib/auth/principal";
import type { DecidedBy } from "@/lib/engine/decide-approval";

/** For operations that are neither public nor have a door of their own: `route()` has signed the caller in. */
export function callerOf(principal: Principal | null): Principal {
  if (!principal) throw new Error("unreachable: an operation that needs a sign-in was run without one");
  return principal;
}

/** A decision has a person; the token through which it came is on record beside them. */
export function deciderOf(principal: Principal | null): DecidedBy {
  const caller = callerOf(principal);
  return { userId: caller.user.id, role: caller.user.role, groups: caller.user.groups, actor: actorOf(caller), tokenId: caller.token?.id ?? null };
}
