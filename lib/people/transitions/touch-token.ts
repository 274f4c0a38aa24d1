/**
 * Records when and from where a token was last used. No event: it is not a change of state, and it happens all the
 * time.
 */
import type { Db } from "@/lib/database/client";

export interface TokenUse {
  tokenId: string;
  address: string;
  at: Date;
}

export async function touchToken(db: Db, { tokenId, address, at }: TokenUse): Promise<void> {
  await db.$queryRaw`UPDATE api_tokens SET last_used_at = ${at}, last_used_address = ${address} WHERE id = ${tokenId}`;
}
