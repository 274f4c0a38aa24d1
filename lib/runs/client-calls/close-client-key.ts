/**
 * Ends the time in which the same call made again is answered by this run: its answer has reached the client. Many are
 * written together a moment later, because no answer waits for it.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "@/lib/database/client";
import { log } from "@/lib/log";

const COLLECT_MS = 20;
const TRIES_MAX = 12;

export class KeyCloser {
  /** By run, how often it was tried. */
  readonly #waiting = new Map<string, number>();
  #writing: Promise<void> | null = null;

  constructor(private readonly db: Db) {}

  close(runId: string): void {
    this.#waiting.set(runId, 0);
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
  }

  /** Resolves when everything that was given so far is written. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** A key that stays although its answer was delivered only means that one more request gets that answer. */
  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      await delay(COLLECT_MS * (1 + Math.min(...this.#waiting.values())));
      const ids = [...this.#waiting.keys()];
      const open = new Set(await closeClientKeys(this.db, ids).catch((error: unknown) => this.#report(error, ids)));
      for (const id of ids) {
        const tries = (this.#waiting.get(id) ?? 0) + 1;
        if (open.has(id) && tries < TRIES_MAX) this.#waiting.set(id, tries);
        else this.#waiting.delete(id);
      }
    }
  }

  #report(error: unknown, runs: string[]): string[] {
    log.warn({ err: error, runs }, "it was not recorded that answers reached their clients; it is tried again");
    return runs;
  }
}

/**
 * A rejection answers the same call of its own session from then on, so that no reviewer is shown it twice. Returns the
 * runs whose end is not on record yet: an answer may reach its client before that.
 */
async function closeClientKeys(db: Db, runIds: readonly string[]): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`WITH closed AS (
      UPDATE runs SET client_key = CASE WHEN error ->> 'code' = 'rejected'
        THEN sha256(client_key || convert_to(session_id, 'UTF8')) END
      WHERE id = ANY (${runIds}::text[]) AND client_key IS NOT NULL AND status IN ('complete', 'failed', 'cancelled')
    ) SELECT id FROM runs
      WHERE id = ANY (${runIds}::text[]) AND client_key IS NOT NULL AND status NOT IN ('complete', 'failed', 'cancelled')`;
  return rows.map(({ id }) => id);
}

/** The same that the statement above makes of a key. */
export const sessionKeyOf = (clientKey: Buffer, sessionId: string): Buffer =>
  createHash("sha256").update(clientKey).update(sessionId).digest();

/** For a call that is harmless when it is made twice, and that has ended: made again, it is a new one. */
export async function releaseClientKey(db: Db, runId: string): Promise<void> {
  await db.$executeRaw`UPDATE runs SET client_key = NULL
    WHERE id = ${runId} AND status IN ('complete', 'failed', 'cancelled')`;
}
