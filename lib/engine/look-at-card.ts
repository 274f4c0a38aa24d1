/** Who has a card open, so that two people need not read the same call. It gives no right and holds nobody off. */
import { LOOK_MS } from "@/lib/domain/limits";
import type { EngineDeps } from "@/lib/engine/deps";
import { KimitsuError } from "@/lib/errors";
import { lookAtCard, lookAwayFromCard, type Look } from "@/lib/store/transitions/look-at-card";

export async function beginLook(deps: EngineDeps, look: Look): Promise<void> {
  const now = deps.now();
  const waits = await lookAtCard(deps.db, look, new Date(now.getTime() + LOOK_MS), now);
  if (!waits) throw new KimitsuError("not_found", `No approval ${look.approvalId} waits for a decision.`);
}

export async function endLook(deps: EngineDeps, look: Look): Promise<void> {
  await lookAwayFromCard(deps.db, look);
}
