/**
 * Links an account of a sign-in provider to a person, with its event. An account that is already linked stays linked to
 * the same person.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function linkAccountRow(
  db: Db,
  link: { userId: string; provider: string; accountId: string },
  actor: Actor,
  at: Date,
): Promise<void> {
  const data = { user_id: link.userId, provider: link.provider };
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "user.account_linked", at, actor, data }, "created");
  await db.$queryRaw`
    WITH created AS (
      INSERT INTO accounts (user_id, type, provider, provider_account_id, created_at)
      VALUES (${link.userId}, 'oauth', ${link.provider}, ${link.accountId}, ${at})
      ON CONFLICT DO NOTHING
      RETURNING user_id
    ), logged AS (${event})
    SELECT user_id FROM created`;
}
