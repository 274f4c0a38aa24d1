import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, type RunnerTask } from "vitest";
import { env } from "@/lib/env";
import { connect, type Db } from "@/lib/database/client";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { HANG_MS } from "@/lib/testing/hang";

/** Made once per test run, with all migrations; see lib/testing/global-setup.ts. */
export const TEMPLATE_DATABASE = "kimitsu_template";

export interface TestDatabase {
  db: Db;
  url: string;
  /** What is closed and removed before it: inside a test Vitest accepts no hook for the end of the file. */
  readonly closing: (() => Promise<void>)[];
}

/**
 * A database of this test file's own, cloned from the template. It is kept when a test of the file failed, and its name
 * is printed.
 */
export function useDatabase(): TestDatabase {
  const own = { closing: [] as TestDatabase["closing"] } as TestDatabase;
  let name = "";
  beforeAll(async () => {
    name = `kimitsu_test_${randomBytes(6).toString("hex")}`;
    own.url = await cloneTemplate(name);
    // A busy machine may take any time to give a connection.
    own.db = catchUpByItself(connect(own.url, 10, { waitMs: HANG_MS }));
    // Code that asks for the process's own client, as route handlers do, gets this one.
    Object.assign(globalThis, { __kimitsuDb: own.db });
  });
  afterAll(async ({}, suite) => {
    await closeAll(own);
    await own.db?.$disconnect();
    if (hasFailed(suite.tasks)) console.error(`The database ${name} was kept for a look.`);
    else await withServer((client) => client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  });
  return own;
}

export const closeAll = async ({ closing }: TestDatabase): Promise<void> =>
  void (await Promise.all(closing.map((close) => close())));

function hasFailed(tasks: RunnerTask[]): boolean {
  return tasks.some((task) => task.result?.state === "fail" || (task.type === "suite" && hasFailed(task.tasks)));
}

async function cloneTemplate(name: string): Promise<string> {
  await withServer((client) => client.query(`CREATE DATABASE "${name}" TEMPLATE "${TEMPLATE_DATABASE}"`));
  return databaseUrl(name);
}

export function databaseUrl(name: string): string {
  if (!env.DATABASE_URL)
    throw new Error("Database tests need a Postgres: run them with `npm run test:unit`, or set DATABASE_URL.");
  const url = new URL(env.DATABASE_URL);
  url.pathname = `/${name}`;
  return url.toString();
}

export async function withServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl("postgres") });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
