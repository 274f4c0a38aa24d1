/** Records a sign-in and its time, with its event. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function recordSignInRow(
  db: Db,
  signIn: { userId: string; provider: string },
  actor: Actor,
  at: Date,
): Promise<void> {
  const event = insertEvent(
    {
      chainId: SYSTEM_CHAIN,
      type: "user.signed_in",
      at,
      actor,
      data: { user_id: signIn.userId, provider: signIn.provider },
    },
    "moved",
  );
  await db.$queryRaw`
    WITH moved AS (UPDATE users SET last_sign_in_at = ${at} WHERE id = ${signIn.userId} RETURNING id), logged AS (${event})
    SELECT id FROM moved`;
}
