/** Finds the person and the scopes behind an API token. Requests with unknown tokens are counted per address and refused past a limit. */
import { hashToken, looksLikeToken } from "@/lib/domain/api-token";
import { TOKEN_LAST_USE_EVERY_MS } from "@/lib/domain/limits";
import { countBadProof } from "@/lib/engine/count-bad-proof";
import type { EngineDeps } from "@/lib/engine/deps";
import { KimitsuError } from "@/lib/errors";
import { findToken, type LiveToken } from "@/lib/store/queries/find-token";
import { touchToken } from "@/lib/store/transitions/touch-token";

export async function authenticateToken(deps: EngineDeps, given: { token: string; address: string }): Promise<LiveToken> {
  const now = deps.now();
  const found = looksLikeToken(given.token) ? await findToken(deps.db, hashToken(given.token)) : null;
  const problem = found ? refusal(found, now) : "This token is not known.";
  if (!found || problem) {
    await countBadProof(deps, { address: given.address, what: "tokens" });
    throw new KimitsuError("unauthorized", problem ?? "This token is not known.");
  }
  if (!found.lastUsedAt || now.getTime() - found.lastUsedAt.getTime() > TOKEN_LAST_USE_EVERY_MS) await touchToken(deps.db, found.id, given.address, now);
  return found;
}

function refusal(token: LiveToken, now: Date): string | null {
  if (token.revokedAt) return "This token was revoked; make a new one under Settings, Tokens.";
  if (token.expiresAt && token.expiresAt <= now) return `This token expired at ${token.expiresAt.toISOString()}; make a new one under Settings, Tokens.`;
  if (token.user.disabled) return "The account that this token acts for is disabled.";
  return null;
}
