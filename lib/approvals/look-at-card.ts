/** Who has a card open, so that two people need not read the same call. It gives no right and holds nobody off. */
import { LOOK_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { lookAtCard, lookAwayFromCard, type Look } from "@/lib/approvals/transitions/look-at-card";

/**
 * A call that no longer waits has no viewers, and to say that one looks at it is no mistake: the page was told, or will
 * be in a moment.
 */
export async function beginLook(deps: EngineDeps, look: Look): Promise<void> {
  const now = deps.now();
  const isThere = await lookAtCard(deps.db, look, { until: new Date(now.getTime() + LOOK_MS), at: now });
  if (!isThere) throw new KimitsuError("not_found", `There is no approval ${look.approvalId}.`);
}

export async function endLook(deps: EngineDeps, look: Look): Promise<void> {
  await lookAwayFromCard(deps.db, look);
}
