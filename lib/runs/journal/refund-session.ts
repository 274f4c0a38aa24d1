/** The part of a commit that gives a session back what was set aside for a call of its client that was not sent. */
import { Prisma } from "@/lib/database/generated/client";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/** Empty for a run that nothing was set aside for. `snapshot` is the run as it ends. */
export function refundSession({ run, calls }: RunSnapshot): Prisma.Sql[] {
  const { sessionId, costUsd } = run;
  const reserved = [...calls.values()].reduce((sum, call) => sum + call.costUsd, 0);
  if (sessionId === null || reserved <= costUsd) return [];
  return [
    Prisma.sql`refunded AS (
      UPDATE client_sessions SET spent_usd = greatest(spent_usd - ${reserved - costUsd}::numeric, 0) FROM moved
      WHERE client_sessions.id = ${sessionId}
    )`,
  ];
}
