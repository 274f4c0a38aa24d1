/**
 * Several statements in one round trip and one commit: all are sent before the first result is read, and Postgres
 * executes everything before one `Sync` as one transaction. The driver has no such query; this is one of its queries
 * with a different `prepare`.
 */
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";

export interface NamedStatement {
  /** Empty for a statement that is not prepared. */
  name: string;
  text: string;
  values: unknown[];
}

/** The part of the driver's connection that is used here. */
interface Wire {
  parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
}

type Answer = { rows: unknown[] };
type Handler = { handleCommandComplete(this: unknown, message: unknown, wire: unknown): void };

/** A row to be changed was locked for longer than the limit. `place` is the position of its statement. */
export class LockHeld extends Error {
  override readonly name = "LockHeld";
  constructor(
    readonly place: number,
    cause: unknown,
  ) {
    super("a row is locked by someone else", { cause });
  }
}

const LOCK_NOT_AVAILABLE = "55P03";

/** For this transaction alone. */
const waitForLocks = (ms: number): NamedStatement => ({
  name: "wait_for_locks",
  text: "SELECT set_config('lock_timeout', $1, true)",
  values: [String(ms)],
});

class TogetherQuery extends pg.Query {
  readonly #statements: NamedStatement[];
  readonly #parsed = new Map<string, string>();
  #wire: Wire | null = null;
  /** How many have been executed; the next one is the one that failed. */
  answered = 0;

  constructor(statements: NamedStatement[], types: unknown, done: (error: Error | null, rows: unknown[][]) => void) {
    super(
      { text: "", types } as pg.QueryConfig,
      ((error: Error | null, answers: Answer | Answer[]) => {
        if (error) return done(error, []);
        for (const [name, text] of this.#parsed) if (this.#wire) this.#wire.parsedStatements[name] = text;
        done(
          null,
          (Array.isArray(answers) ? answers : [answers]).map(({ rows }) => rows),
        );
      }) as never,
    );
    this.#statements = statements;
  }

  handleCommandComplete(message: unknown, wire: unknown): void {
    this.answered += 1;
    (pg.Query.prototype as unknown as Handler).handleCommandComplete.call(this, message, wire);
  }

  requiresPreparation(): boolean {
    return true;
  }

  prepare(wire: Wire): void {
    this.#wire = wire;
    for (const { name, text, values } of this.#statements) {
      if (name === "" || (wire.parsedStatements[name] === undefined && !this.#parsed.has(name)))
        wire.parse({ name, text });
      if (name !== "") this.#parsed.set(name, text);
      wire.bind({ statement: name, values, valueMapper: prepareValue });
      wire.describe({ type: "P", name: "" });
      wire.execute({ portal: "" });
    }
    wire.sync();
  }
}

/** The rows of a single statement, however long it waits for a lock. */
export async function queryAlone(pool: pg.Pool, statement: NamedStatement, types: unknown): Promise<unknown[]> {
  return (await pool.query({ ...statement, types } as pg.QueryConfig)).rows;
}

export interface Together {
  types: unknown;
  /** Throws LockHeld when a row is locked for longer. */
  lockWaitMs: number;
}

/**
 * The rows of each statement. When one fails none has happened, and the connection is dropped, because it is not known
 * here which statements it has prepared.
 */
export async function queryTogether(
  pool: pg.Pool,
  statements: NamedStatement[],
  { types, lockWaitMs }: Together,
): Promise<unknown[][]> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const query = new TogetherQuery([waitForLocks(lockWaitMs), ...statements], types, (error, rows) => {
        if (!error) resolve(rows.slice(1));
        else reject(isLockHeld(error) ? new LockHeld(query.answered - 1, error) : error);
      });
      client.query(query);
    });
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}

const isLockHeld = (error: Error): boolean => "code" in error && error.code === LOCK_NOT_AVAILABLE;
