/**
 * Reads of many runs in one write to the socket: concurrent reads go over one connection, one after the other and each
 * on its own, so that one that fails fails alone. Only for statements that find everything by a key: a slow one would
 * delay those behind it.
 */
import type pg from "pg";
import type { NamedStatement } from "@/lib/database/together";

interface Item {
  statement: NamedStatement;
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

/** Two at a time: one is executed while the next is written to the socket. */
const BATCHES_AT_ONCE = 2;
const BATCH_MAX = 64;

type Corked = pg.PoolClient & { connection: { stream: { cork(): void; uncork(): void } } };

export class ReadGroup {
  readonly #queue: Item[] = [];
  #busy = 0;
  #isScheduled = false;

  /** The pool's connections must be pipelined: they accept a statement before the previous one is answered. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly types: unknown,
  ) {}

  query(statement: NamedStatement): Promise<unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#queue.push({ statement, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Runs after everything that is requested in this turn of the event loop, without waiting longer. */
  #schedule(): void {
    if (this.#isScheduled || this.#busy >= BATCHES_AT_ONCE) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#queue.length > 0) void this.#send(this.#queue.splice(0, BATCH_MAX));
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  async #send(batch: readonly Item[]): Promise<void> {
    this.#busy += 1;
    try {
      const client = (await this.pool.connect()) as Corked;
      const { stream } = client.connection;
      stream.cork();
      const answers = batch.map((item) => this.#ask(client, item));
      stream.uncork();
      await Promise.all(answers);
      client.release();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#busy -= 1;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  /** The pool drops an ended connection by itself, so the result of one statement does not matter for that here. */
  async #ask(client: pg.PoolClient, { statement, resolve, reject }: Item): Promise<void> {
    try {
      resolve((await client.query({ ...statement, types: this.types } as pg.QueryConfig)).rows);
    } catch (error) {
      reject(error);
    }
  }
}
