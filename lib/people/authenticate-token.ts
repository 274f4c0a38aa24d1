/**
 * Finds the person and the scopes behind an API token, in one statement. Requests with unknown tokens are counted per
 * address and refused past a limit. The token's last use is written occasionally, outside the request.
 */
import { hashToken, looksLikeToken } from "@/lib/people/rules/api-token";
import { TOKEN_LAST_USE_EVERY_MS } from "@/lib/limits";
import { countBadProof } from "@/lib/people/count-bad-proof";
import type { Db } from "@/lib/database/client";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { findToken, type LiveToken } from "@/lib/people/queries/find-token";
import { touchToken, type TokenUse } from "@/lib/people/transitions/touch-token";

export async function authenticateToken(
  deps: EngineDeps,
  given: { token: string; address: string },
): Promise<LiveToken> {
  const now = deps.now();
  const found = looksLikeToken(given.token) ? await findToken(deps.db, hashToken(given.token)) : null;
  const problem = found ? refusal(found, now) : "This token is not known.";
  if (!found || problem) {
    await countBadProof(deps, { address: given.address, what: "tokens" });
    throw new KimitsuError("unauthorized", problem ?? "This token is not known.");
  }
  if (!found.lastUsedAt || now.getTime() - found.lastUsedAt.getTime() > TOKEN_LAST_USE_EVERY_MS)
    noteUse(deps.db, { tokenId: found.id, address: given.address, at: now });
  return found;
}

/** Tokens whose last use is being written; requests that arrive meanwhile still see the old time. */
const beingNoted = new WeakMap<Db, Set<string>>();

/** No request waits for it or fails because of it: it only shows people which tokens are in use. */
function noteUse(db: Db, use: TokenUse): void {
  const noted = beingNoted.get(db) ?? new Set<string>();
  beingNoted.set(db, noted);
  if (noted.has(use.tokenId)) return;
  noted.add(use.tokenId);
  touchToken(db, use)
    .catch((error: unknown) => log.warn({ err: error, token_id: use.tokenId }, "a token's last use was not written"))
    .finally(() => noted.delete(use.tokenId));
}

function refusal(token: LiveToken, now: Date): string | null {
  if (token.revokedAt) return "This token was revoked; make a new one under Settings, Tokens.";
  if (token.expiresAt && token.expiresAt <= now)
    return `This token expired at ${token.expiresAt.toISOString()}; make a new one under Settings, Tokens.`;
  if (token.user.disabled) return "The account that this token acts for is disabled.";
  return null;
}
