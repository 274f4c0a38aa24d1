import type { Db } from "@/lib/database/client";
import type { AnswerKey, KeptAnswer } from "@/lib/runs/transitions/keep-answer";

/**
 * The stored answer under this key, without taking the key; null if it is free, or its first request is still in
 * progress.
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
