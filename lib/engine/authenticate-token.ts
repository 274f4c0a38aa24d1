/** Finds the person and the scopes behind an API token. Requests with unknown tokens are counted per address and refused past a limit. */
import { hashToken, looksLikeToken } from "@/lib/domain/api-token";
import { BAD_TOKEN_WINDOW_MS, BAD_TOKENS_PER_ADDRESS, TOKEN_LAST_USE_EVERY_MS } from "@/lib/domain/limits";
import { networkOf } from "@/lib/domain/network-of";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/engine/deps";
import { findToken, type LiveToken } from "@/lib/store/queries/find-token";
import { takeThrottle } from "@/lib/store/transitions/take-throttle";
import { touchToken } from "@/lib/store/transitions/touch-token";

export async function authenticateToken(deps: EngineDeps, given: { token: string; address: string }): Promise<LiveToken> {
  const now = deps.now();
  const found = looksLikeToken(given.token) ? await findToken(deps.db, hashToken(given.token)) : null;
  const problem = found ? refusal(found, now) : "This token is not known.";
  if (!found || problem) {
    const limit = { key: `bad-token:${networkOf(given.address)}`, max: BAD_TOKENS_PER_ADDRESS, windowMs: BAD_TOKEN_WINDOW_MS };
    const taken = await takeThrottle(deps.db, limit, now);
    if (!taken.allowed) {
      const retryAfterS = Math.ceil((taken.until.getTime() - now.getTime()) / 1000);
      throw new KimitsuError("rate_limited", `Too many requests with tokens that do not work; try again in ${retryAfterS} s.`, { retryAfterS });
    }
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
