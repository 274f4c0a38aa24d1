/** Who has a card open, so that two people need not read the same call. It gives no right and blocks nobody. */
import { LOOK_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { lookAtCard, lookAwayFromCard, type Look } from "@/lib/approvals/transitions/look-at-card";

/**
 * A call that no longer waits has no viewers, but looking at it is no error: the page has been notified, or soon will
 * be.
 */
export async function beginLook(deps: EngineDeps, look: Look): Promise<void> {
  const now = deps.now();
  const isThere = await lookAtCard(deps.db, look, { until: new Date(now.getTime() + LOOK_MS), at: now });
  if (!isThere) throw new KimitsuError("not_found", `There is no approval ${look.approvalId}.`);
}

export async function endLook(deps: EngineDeps, look: Look): Promise<void> {
  await lookAwayFromCard(deps.db, look);
}
