import type { Db } from "@/lib/database/client";
import type { AnswerKey, KeptAnswer } from "@/lib/runs/transitions/keep-answer";

/**
 * What was answered under this key, without taking it; null for a key that is free, or whose first request is still
 * under way.
 */
export async function findKeptAnswer<A extends object>(
  db: Db,
  once: AnswerKey,
  at: Date,
): Promise<KeptAnswer<A> | null> {
  const kept = await db.idempotencyKey.findUnique({
    where: { principal_key: { principal: once.principal, key: once.key } },
  });
  if (!kept || kept.expiresAt <= at || kept.response === null) return null;
  return kept.requestDigest === once.digest
    ? { kind: "repeated", answer: kept.response as A }
    : { kind: "other_request" };
}
