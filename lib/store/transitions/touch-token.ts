/** Notes when and from where a token was last used. No event: it is no change of state, and it happens all the time. */
import type { Db } from "@/lib/store/client";

export async function touchToken(db: Db, tokenId: string, address: string, at: Date): Promise<void> {
  await db.$executeRaw`UPDATE api_tokens SET last_used_at = ${at}, last_used_address = ${address} WHERE id = ${tokenId}`;
}
