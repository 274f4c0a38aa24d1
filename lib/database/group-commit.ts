/**
 * Group commit within this process: whatever is ready in this moment, of any number of runs, goes over one connection
 * as one transaction, with one wait for the disk. Each statement is guarded by itself, and its rows are its own answer.
 * They go in the order of their keys, so that two processes cannot wait for each other. When one raises, none has
 * happened, and each is tried alone. One whose row somebody holds locked waits by itself, and whatever comes for the
 * same key behind it; the others go on without it.
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

/** Two at a time: one is carried out while the next is written to the socket. */
const BATCHES_AT_ONCE = 2;
const BATCH_MAX = 64;
/** A larger statement goes alone, so that small ones do not wait for it. */
const LARGE_LENGTH = 64 * 1024;
/** Connections of the pool that those who wait for locks leave to others: to the batches, and to one that reads. */
const CONNECTIONS_KEPT = BATCHES_AT_ONCE + 1;

export class GroupCommit {
  readonly #queue: Item[] = [];
  /** Whose rows are locked, and how many wait for each. */
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

  /** The rows of the statement, when the transaction that it was part of is committed. */
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

  /** After all that is ready in this turn of the event loop, and without any wait beyond it. */
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
      // Of a connection that broke off it is not known whether they were carried out; whoever asked must look.
      else if (isDatabaseAway(error)) for (const { reject } of sorted) reject(error);
      else for (const item of sorted) await this.#single(item);
    }
  }

  /** Those of the same key wait with it. */
  #goOnWithout(batch: readonly Item[], { place }: LockHeld): void {
    const held = batch[place]?.key;
    this.#queue.unshift(...batch.filter(({ key }) => key !== held));
    for (const item of batch) if (item.key === held) this.#waitForLock(item);
  }

  /** One that goes alone needs no limit in the database: when it takes long, the next batch does not wait for it. */
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
