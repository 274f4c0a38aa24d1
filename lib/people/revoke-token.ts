/** Ends a token from its next request on. A person can end their own; `ownerId: null` (an admin) can end anyone's. */
import type { Actor } from "@/lib/people/rules/actor";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { revokeTokenRow } from "@/lib/people/transitions/revoke-token";

export async function revokeToken(
  deps: EngineDeps,
  actor: Actor,
  change: { tokenId: string; ownerId: string | null },
): Promise<void> {
  if (!(await revokeTokenRow(deps.db, change, actor, deps.now()))) {
    throw new KimitsuError("not_found", `There is no live token ${change.tokenId}; nothing was changed.`);
  }
}
