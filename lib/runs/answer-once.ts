/**
 * Makes a request with an idempotency key happen once: repeated, it gets the first answer again; another request under
 * the key is a conflict. Runs are woken after the commit, because before it nobody can see them.
 */
import type { QueueRoom } from "@/lib/runs/queue-room";
import type { StartDeps } from "@/lib/runs/start-run";
import { KimitsuError } from "@/lib/errors";
import { findKeptAnswer } from "@/lib/runs/queries/find-kept-answer";
import { type AnswerKey, keepAnswer, type KeptAnswer, pruneAnswers } from "@/lib/runs/transitions/keep-answer";

const CREATED = 202;
const ASKED: QueueRoom = { require: async () => undefined };

/** Without a key the work is simply done. An error is not stored: the request may be sent again under the same key. */
export async function answerOnce<D extends StartDeps, A extends object>(
  deps: D,
  once: AnswerKey | null,
  work: (deps: D) => Promise<A>,
): Promise<A> {
  if (!once) return work(deps);
  const woken: string[] = [];
  const kept =
    (await findWhileFull<D, A>(deps, once)) ??
    (await keepAnswer(deps.db, { once, status: CREATED, at: deps.now() }, (tx) =>
      work({ ...deps, db: tx, queue: ASKED, workerSlot: () => null, wake: (runId) => void woken.push(runId) }),
    ));
  if (kept.kind === "other_request") {
    throw new KimitsuError(
      "conflict",
      `The Idempotency-Key ${once.key} was used for another request within the last day; nothing was created. Use a new key.`,
    );
  }
  woken.forEach(deps.wake);
  if (kept.kind === "done") await pruneAnswers(deps.db, deps.now());
  return kept.answer;
}

/**
 * Null while there is room. A full queue refuses new work; a repeated request needs no room and gets its answer as
 * usual. Checked before the transaction: inside, every request would hold a connection while waiting for another one to
 * count.
 */
async function findWhileFull<D extends StartDeps, A extends object>(
  { db, now, queue }: D,
  once: AnswerKey,
): Promise<KeptAnswer<A> | null> {
  try {
    await queue.require();
    return null;
  } catch (refusal) {
    const kept = await findKeptAnswer<A>(db, once, now());
    if (kept === null) throw refusal;
    return kept;
  }
}
