/**
 * Several statements in one round trip and one commit: all of them are sent before the first answer is read, and Postgres carries out what
 * comes before one `Sync` as one transaction. The driver has no such query of its own; this is one of its queries with another `prepare`.
 */
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";

export interface NamedStatement {
  /** Empty for a statement that is not kept prepared. */
  name: string;
  text: string;
  values: unknown[];
}

/** What of the driver's connection is used here. */
interface Wire {
  parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
}

type Answer = { rows: unknown[] };

class TogetherQuery extends pg.Query {
  readonly #statements: NamedStatement[];
  readonly #parsed = new Map<string, string>();
  #wire: Wire | null = null;

  constructor(statements: NamedStatement[], types: unknown, done: (error: Error | null, rows: unknown[][]) => void) {
    super({ text: "", types } as pg.QueryConfig, ((error: Error | null, answers: Answer | Answer[]) => {
      if (error) return done(error, []);
      for (const [name, text] of this.#parsed) if (this.#wire) this.#wire.parsedStatements[name] = text;
      done(null, (Array.isArray(answers) ? answers : [answers]).map(({ rows }) => rows));
    }) as never);
    this.#statements = statements;
  }

  requiresPreparation(): boolean {
    return true;
  }

  prepare(wire: Wire): void {
    this.#wire = wire;
    for (const { name, text, values } of this.#statements) {
      if (name === "" || (wire.parsedStatements[name] === undefined && !this.#parsed.has(name))) wire.parse({ name, text });
      if (name !== "") this.#parsed.set(name, text);
      wire.bind({ statement: name, values, valueMapper: prepareValue });
      wire.describe({ type: "P", name: "" });
      wire.execute({ portal: "" });
    }
    wire.sync();
  }
}

/** The rows of each statement. When one fails none has happened, and the connection is given up: which names it knows is not known here. */
export async function queryTogether(pool: pg.Pool, statements: NamedStatement[], types: unknown): Promise<unknown[][]> {
  const [only] = statements;
  if (only && statements.length === 1) return [(await pool.query({ ...only, types } as pg.QueryConfig)).rows];
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    return await new Promise((resolve, reject) => {
      client.query(new TogetherQuery(statements, types, (error, rows) => (error ? reject(error) : resolve(rows))));
    });
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}
