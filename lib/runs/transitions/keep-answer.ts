/**
 * Does a request's work and stores the answer under the request's key, in one transaction: a process that dies in
 * between has done neither. Of equal concurrent requests one does the work; the others wait for it and get its answer.
 */
import type { Db } from "@/lib/database/client";

export interface AnswerKey {
  principal: string;
  key: string;
  digest: string;
}

export type KeptAnswer<A> = { kind: "done" | "repeated"; answer: A } | { kind: "other_request" };

const KEPT_MS = 24 * 3600_000;
const PRUNE_BATCH = 100;
/** Longer than any single start of a run takes, and shorter than clients wait. */
const TRANSACTION_TIMEOUT_MS = 20_000;

/** `work` must write through the given client, and have no effect outside the database. */
export function keepAnswer<A extends object>(
  db: Db,
  { once, status, at }: { once: AnswerKey; status: number; at: Date },
  work: (tx: Db) => Promise<A>,
): Promise<KeptAnswer<A>> {
  return db.$transaction(
    async (tx): Promise<KeptAnswer<A>> => {
      // Waits for a transaction that has the same key. An expired key is free again.
      const taken = await tx.$queryRaw<{ key: string }[]>`
        INSERT INTO idempotency_keys (principal, key, request_digest, created_at, expires_at)
        VALUES (${once.principal}, ${once.key}, ${once.digest}, ${at}, ${new Date(at.getTime() + KEPT_MS)})
        ON CONFLICT (principal, key) DO UPDATE SET request_digest = excluded.request_digest, status = NULL, response = NULL,
          created_at = excluded.created_at, expires_at = excluded.expires_at
          WHERE idempotency_keys.expires_at <= ${at}
        RETURNING key`;
      const where = { principal_key: { principal: once.principal, key: once.key } };
      if (taken.length === 0) {
        const kept = await tx.idempotencyKey.findUniqueOrThrow({ where });
        return kept.requestDigest === once.digest
          ? { kind: "repeated", answer: kept.response as A }
          : { kind: "other_request" };
      }
      const answer = await work(tx as Db);
      await tx.idempotencyKey.update({ where, data: { status, response: answer } });
      return { kind: "done", answer };
    },
    { timeout: TRANSACTION_TIMEOUT_MS, maxWait: TRANSACTION_TIMEOUT_MS },
  );
}

/**
 * Deletes some expired keys, after each new one and from time to time: the table stays as large as a day, and empties
 * when there are no requests. True when there may be more.
 */
export async function pruneAnswers(db: Db, at: Date): Promise<boolean> {
  const removed = await db.$executeRaw`
    DELETE FROM idempotency_keys WHERE (principal, key) IN (
      SELECT principal, key FROM idempotency_keys WHERE expires_at <= ${at} ORDER BY expires_at LIMIT ${PRUNE_BATCH} FOR UPDATE SKIP LOCKED)`;
  return removed === PRUNE_BATCH;
}
