/**
 * Group commit within this process: statements of any runs that are ready at the same time go over one connection as
 * one transaction, with one wait for the disk. Each statement is guarded by itself and gets its own rows. They are sent
 * in the order of their keys, so that two processes cannot deadlock. When one raises, none has happened, and each is
 * tried alone. A statement whose row is locked waits by itself, together with later ones for the same key; the others
 * proceed without it.
 */
import type pg from "pg";
import { isDatabaseAway } from "@/lib/database/database-away";
import { GROUP_LOCK_WAIT_MS } from "@/lib/limits";
import { LockHeld, type NamedStatement, queryAlone, queryTogether } from "@/lib/database/together";

interface Item {
  key: string;
  statement: NamedStatement;
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

/** Two at a time: one is executed while the next is written to the socket. */
const BATCHES_AT_ONCE = 2;
const BATCH_MAX = 64;
/** A larger statement goes alone, so that small ones do not wait for it. */
const LARGE_LENGTH = 64 * 1024;
/** Connections of the pool that statements waiting for locks leave free: for the batches, and for one reader. */
const CONNECTIONS_KEPT = BATCHES_AT_ONCE + 1;

export class GroupCommit {
  readonly #queue: Item[] = [];
  /** Keys whose rows are locked, and how many statements wait for each. */
  readonly #held = new Map<string, number>();
  readonly #waiting: Item[] = [];
  #busy = 0;
  #lanes = 0;
  #isScheduled = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly types: unknown,
    private readonly lockWaitMs = GROUP_LOCK_WAIT_MS,
  ) {}

  /** Resolves with the rows of the statement when its transaction is committed. */
  put(key: string, statement: NamedStatement): Promise<unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    const item = { key, statement, resolve, reject };
    if (this.#held.has(key)) this.#waitForLock(item);
    else if (lengthOf(statement) > LARGE_LENGTH) void this.#alone(item);
    else {
      this.#queue.push(item);
      this.#schedule();
    }
    return promise;
  }

  /** Runs after everything that is ready in this turn of the event loop, without waiting longer. */
  #schedule(): void {
    if (this.#isScheduled || this.#busy >= BATCHES_AT_ONCE) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#queue.length > 0) void this.#send(this.#queue.splice(0, BATCH_MAX));
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  async #send(batch: Item[]): Promise<void> {
    this.#busy += 1;
    const [only] = batch;
    try {
      if (only && batch.length === 1) await this.#single(only);
      else await this.#together(batch);
    } finally {
      this.#busy -= 1;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #together(batch: Item[]): Promise<void> {
    const sorted = batch.toSorted((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
    const { types, lockWaitMs } = this;
    try {
      const statements = sorted.map(({ statement }) => statement);
      const answers = await queryTogether(this.pool, statements, { types, lockWaitMs });
      for (const [place, { resolve }] of sorted.entries()) resolve(answers[place] ?? []);
    } catch (error) {
      if (error instanceof LockHeld) this.#goOnWithout(sorted, error);
      // After a broken connection it is not known whether they were executed; the callers must check.
      else if (isDatabaseAway(error)) for (const { reject } of sorted) reject(error);
      else for (const item of sorted) await this.#single(item);
    }
  }

  /** Statements with the same key wait with it. */
  #goOnWithout(batch: readonly Item[], { place }: LockHeld): void {
    const held = batch[place]?.key;
    this.#queue.unshift(...batch.filter(({ key }) => key !== held));
    for (const item of batch) if (item.key === held) this.#waitForLock(item);
  }

  /**
   * A single statement needs no lock timeout in the database: when it takes long, the next batch does not wait for it.
   */
  async #single(item: Item): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      if (this.#lanes >= this.#lanesMax) return;
      this.#hold(item.key);
      void done.finally(() => this.#release(item.key));
      waited.resolve();
    }, this.lockWaitMs);
    const done = this.#alone(item).finally(() => clearTimeout(timer));
    await Promise.race([done, waited.promise]);
  }

  #waitForLock(item: Item): void {
    this.#held.set(item.key, (this.#held.get(item.key) ?? 0) + 1);
    this.#waiting.push(item);
    this.#fillLanes();
  }

  #fillLanes(): void {
    while (this.#lanes < this.#lanesMax) {
      const item = this.#waiting.shift();
      if (!item) return;
      this.#lanes += 1;
      void this.#alone(item).finally(() => this.#release(item.key));
    }
  }

  get #lanesMax(): number {
    return Math.max(1, (this.pool.options.max ?? 0) - CONNECTIONS_KEPT);
  }

  #hold(key: string): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#lanes += 1;
  }

  #release(key: string): void {
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    this.#lanes -= 1;
    this.#fillLanes();
  }

  async #alone({ statement, resolve, reject }: Item): Promise<void> {
    try {
      resolve(await queryAlone(this.pool, statement, this.types));
    } catch (error) {
      reject(error);
    }
  }
}

const lengthOf = ({ values }: NamedStatement): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
