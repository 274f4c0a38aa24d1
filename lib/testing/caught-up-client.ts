/**
 * A client for tests that brings the projections up to the journal before each statement on one of their tables: what a
 * test reads there is never stale, and what it changes there by hand is changed in rows that exist.
 */
import { type Db, toStatement } from "@/lib/database/client";
import { isDatabaseAway } from "@/lib/database/database-away";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { projectChains } from "@/lib/runs/projections/project-chains";
import { listBehind } from "@/lib/runs/projections/read-entries";

const MODELS = new Set<string | symbol>([
  "step",
  "turn",
  "call",
  "decision",
  "event",
  "projectedRun",
  "runSearch",
  "approvalSearch",
]);
/** As relations of other models. */
const RELATIONS = /"(steps|turns|calls|decisions)":/;
/** Without search queries, which read unprojected rows themselves. */
const TABLES = /\b(steps|turns|calls|decisions|events|projected_runs)\b/;
const RAW = new Set<string | symbol>(["$queryRaw", "$executeRaw", "$queryRawUnsafe", "$executeRawUnsafe"]);
const LIMIT = 10_000;

type Method = (...args: never[]) => unknown;

export function catchUpByItself(db: Db): Db {
  const projector = { db, cache: new FoldCache(), waits: true };
  const catchUpOnce = async () => {
    try {
      await projectChains(projector, await listBehind(db, "", LIMIT));
    } catch (error) {
      // The statement itself reports what is wrong with the database.
      if (!isDatabaseAway(error)) throw error;
    }
  };
  const catchUp = shareWaiting(catchUpOnce);
  const client = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (RAW.has(name)) return onTables(value as Method, target, catchUp);
      if (name === "$transaction")
        return async (...args: never[]) => (await catchUp(), (value as Method).apply(target, args));
      if (typeof name !== "string" || name.startsWith("$") || typeof value !== "object" || value === null) return value;
      return new Proxy(value, {
        get: (model, operation) => onRelations(model, operation, { isOwn: MODELS.has(name), catchUp }),
      });
    },
  });
  keepPools(db, client);
  return client;
}

/** One at a time; callers that ask while the next one waits share that one. */
function shareWaiting(work: () => Promise<void>): () => Promise<void> {
  let current = Promise.resolve();
  let waiting: Promise<void> | null = null;
  const begin = () => {
    waiting = null;
    return (current = work());
  };
  return () => (waiting ??= current.then(begin, begin));
}

const onTables =
  (method: Method, target: Db, catchUp: () => Promise<void>) =>
  async (...[first, ...rest]: [Parameters<typeof toStatement>[0] | string, ...unknown[]]): Promise<unknown> => {
    const text = typeof first === "string" ? first : toStatement(first, rest).text;
    if (TABLES.test(text)) await catchUp();
    return method.call(target, ...([first, ...rest] as never[]));
  };

function onRelations(
  model: object,
  operation: string | symbol,
  { isOwn, catchUp }: { isOwn: boolean; catchUp: () => Promise<void> },
): unknown {
  const method: unknown = Reflect.get(model, operation, model);
  if (typeof method !== "function") return method;
  return (...args: unknown[]): unknown => {
    const isAboutThem =
      isOwn ||
      RELATIONS.test(JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
    const carryOut = () => (method as Method).apply(model, args as never[]) as Promise<unknown>;
    return isAboutThem ? catchUp().then(carryOut) : carryOut();
  };
}

/** Statements that are committed in groups find the pools by the client they get. */
function keepPools(db: Db, client: Db): void {
  const { __kimitsuPools: pools } = globalThis as typeof globalThis & { __kimitsuPools?: WeakMap<Db, unknown> };
  pools?.set(client, pools.get(db));
}
