import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { Prisma, PrismaClient } from "@/lib/store/generated/client";
import { isPlannedAnew } from "@/lib/store/plan-anew";

export type Db = PrismaClient;

/** Statements that Postgres keeps parsed and planned for each connection; our transitions are long, and planning them is most of their time. */
const PREPARED_MAX = 300;

/** Types whose values the driver would give as text; they are the same whichever way a statement takes. */
const PARSERS: Partial<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: BigInt,
  [pg.types.builtins.NUMERIC]: (text) => new Prisma.Decimal(text),
};
const TYPES = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => (format === "binary" ? undefined : PARSERS[oid]) ?? pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

// Next reloads modules in development; the pool must outlive that, or every edit leaks its connections.
const kept = globalThis as typeof globalThis & { __kimitsuDb?: Db; __kimitsuPools?: WeakMap<Db, pg.Pool> };

export function connect(url: string, poolSize: number): Db {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 });
  // An idle connection that the server cuts is replaced at the next use; without a listener its error would end the process.
  pool.on("error", () => undefined);
  const nameOf = createStatementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql), disposeExternalPool: true });
  const client = withDirectStatements(new PrismaClient({ adapter }), pool, nameOf);
  (kept.__kimitsuPools ??= new WeakMap()).set(client, pool);
  return client;
}

/** How the pool of this client is used at the moment. */
export function poolUse(client: Db): { busy: number; idle: number; waiting: number } {
  const pool = kept.__kimitsuPools?.get(client);
  if (!pool) return { busy: 0, idle: 0, waiting: 0 };
  return { busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/**
 * Statements that are written out go straight to the driver, on the same pool: on its way through Prisma each one takes longer in this
 * process than in Postgres. Inside a transaction they take Prisma's way, because it has the connection.
 */
function withDirectStatements(client: Db, pool: pg.Pool, nameOf: (sql: string) => string): Db {
  const queryRaw = async (strings: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<unknown> => {
    const statement = strings instanceof Prisma.Sql ? strings : Prisma.sql(strings, ...values);
    const { text } = statement;
    const { rows } = await pool.query({ name: nameOf(text), text, values: statement.values as unknown[], types: TYPES });
    return rows;
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "$queryRaw") return queryRaw;
      const value: unknown = Reflect.get(target, name, target);
      // What it hands to its callback is made from the client that it is called on.
      return name === "$transaction" ? (value as Db["$transaction"]).bind(target) : value;
    },
  });
}

/** A name for each statement by its text; past the limit statements have none, so that a text with a varying length cannot fill the server's memory. */
function createStatementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= PREPARED_MAX || isPlannedAnew(sql)) return "";
    const name = `k${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}

/** The one database client of this process. */
export function db(): Db {
  if (kept.__kimitsuDb) return kept.__kimitsuDb;
  if (!env.DATABASE_URL) {
    throw new KimitsuError("unavailable", "DATABASE_URL is not set. `npm start` and `npx kimitsu …` set it for the embedded Postgres.");
  }
  return (kept.__kimitsuDb = connect(env.DATABASE_URL, env.DATABASE_POOL));
}
