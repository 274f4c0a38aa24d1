import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { Prisma, PrismaClient } from "@/lib/database/generated/client";
import { isPlannedAnew, isPlannedOnce, isReadInGroup } from "@/lib/database/plan-anew";
import { GroupCommit } from "@/lib/database/group-commit";
import { ReadGroup } from "@/lib/database/read-group";

export type Db = PrismaClient;

/**
 * What a transition needs of the database: one statement. Where several are gathered into one commit, this is the
 * gatherer.
 */
export type Statements = Pick<Db, "$queryRaw">;
export type Statement = Prisma.Sql;

/** Limit of prepared statements per connection; our transitions are long, and planning them is most of their time. */
const PREPARED_MAX = 300;

/** Types whose values the driver would return as text; the result is the same with and without Prisma. */
const PARSERS: Partial<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: BigInt,
  [pg.types.builtins.NUMERIC]: (text) => new Prisma.Decimal(text),
};
const TYPES = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format === "binary" ? undefined : PARSERS[oid]) ??
    pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/**
 * For connections that advance runs: one plan for all values, and never a sequential scan. Everything there is found by
 * a key, but a plan made while a table was small would scan it, and keep doing so until Postgres next gathers
 * statistics.
 */
const ENGINE_PLANNING = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off";

/**
 * A closed connection loses its plans, and making them again costs more than everything else that a decision needs from
 * Postgres.
 */
const IDLE_MS = 10 * 60_000;
const CONNECTION_WAIT_MS = 10_000;

// Next reloads modules in development; the pool must outlive that, or every edit leaks its connections.
const kept = globalThis as typeof globalThis & { __kimitsuDb?: Db; __kimitsuPools?: WeakMap<Db, Driver> };

interface Driver {
  /** For queries of people, and for Prisma. */
  pool: pg.Pool;
  /** For advancing runs: plans hold for all values. */
  engine: pg.Pool;
  group: GroupCommit;
  reads: ReadGroup;
  nameOf: (sql: string) => string;
}

export function connect(url: string, poolSize: number, { waitMs = CONNECTION_WAIT_MS } = {}): Db {
  const pool = openPool(url, { max: Math.floor(poolSize / 2), waitMs });
  const engine = openPool(
    url,
    { max: Math.ceil(poolSize / 2), waitMs, pipeline: true },
    async (connection) => void (await connection.query(ENGINE_PLANNING)),
  );
  const nameOf = createStatementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql), disposeExternalPool: true });
  const driver = { pool, engine, group: new GroupCommit(engine, TYPES), reads: new ReadGroup(engine, TYPES), nameOf };
  const client = withDirectStatements(new PrismaClient({ adapter }), driver);
  (kept.__kimitsuPools ??= new WeakMap()).set(client, driver);
  return client;
}

function openPool(
  url: string,
  { max, waitMs, pipeline = false }: { max: number; waitMs: number; pipeline?: boolean },
  onConnect?: (connection: pg.ClientBase) => Promise<void>,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    pipeline,
    ...(onConnect && { onConnect }),
  } as pg.PoolConfig);
  // An idle connection that the server cuts is replaced at the next use; without a listener its error would end the
  // process.
  pool.on("error", () => undefined);
  // A connection that breaks while in use fails its statement; without a listener its error event would also end the
  // process.
  pool.on("connect", (connection) => connection.on("error", () => undefined));
  return pool;
}

/** Current use of the pools of this client. */
export function poolUse(client: Db): { busy: number; idle: number; waiting: number } {
  const driver = kept.__kimitsuPools?.get(client);
  const pools = driver ? [driver.pool, driver.engine] : [];
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  return {
    busy: sum((pool) => pool.totalCount - pool.idleCount),
    idle: sum((pool) => pool.idleCount),
    waiting: sum((pool) => pool.waitingCount),
  };
}

export const toStatement = (strings: TemplateStringsArray | Statement, values: unknown[]): Statement =>
  strings instanceof Prisma.Sql ? strings : Prisma.sql(strings, ...values);

/** False for the client that a transaction passes to its callback: that has one connection, and no pools. */
export const isClient = (db: object): db is Db => kept.__kimitsuPools?.has(db as Db) ?? false;

/**
 * Commits the statement together with whatever else is ready in this process, and returns its rows. `key` names what it
 * changes.
 */
export async function commitInGroup(client: Db, key: string, { text, values }: Statement): Promise<unknown[]> {
  const driver = kept.__kimitsuPools?.get(client);
  if (!driver) throw new Error("unreachable: a client that was not made here");
  return driver.group.put(key, { name: driver.nameOf(text), text, values: values as unknown[] });
}

/**
 * Raw statements go straight to the driver, on the same pool: through Prisma each one takes longer in this process than
 * in Postgres. Inside a transaction they go through Prisma, because it has the connection.
 */
function withDirectStatements(client: Db, { pool, engine, reads, nameOf }: Driver): Db {
  const queryRaw = async (strings: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<unknown> => {
    const { text, values: given } = toStatement(strings, values);
    const statement = { name: nameOf(text), text, values: given as unknown[] };
    if (isReadInGroup(text)) return reads.query(statement);
    const { rows } = await (isPlannedOnce(text) ? engine : pool).query({ ...statement, types: TYPES });
    return rows;
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "$queryRaw") return queryRaw;
      const value: unknown = Reflect.get(target, name, target);
      if (name === "$disconnect")
        return async () =>
          void (await Promise.all([
            (value as Db["$disconnect"]).call(target),
            engine.ended ? undefined : engine.end(),
          ]));
      // `$transaction` builds the callback's client from the client that it is called on.
      return name === "$transaction" ? (value as Db["$transaction"]).bind(target) : value;
    },
  });
}

/**
 * Names each statement by its text; past the limit statements get no name, so that a text of varying length cannot fill
 * the server's memory.
 */
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
    throw new KimitsuError(
      "unavailable",
      "DATABASE_URL is not set. `npm start` and `npx kimitsu …` set it for the embedded Postgres.",
    );
  }
  return (kept.__kimitsuDb = connect(env.DATABASE_URL, env.DATABASE_POOL));
}
