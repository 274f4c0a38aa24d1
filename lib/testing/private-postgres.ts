/** A Postgres of the test's own, which it may stop and start. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { connect } from "@/lib/database/client";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { closeAll, type TestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";
import { ensureDataFolder, ensureSecrets } from "../../scripts/postgres/data-folder.mjs";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { ROOT_ROLE } from "../../scripts/postgres/pg-cluster.mjs";
import { removeDatabase, startPostgres } from "../../scripts/postgres/pg.mjs";

export interface PrivatePostgres extends TestDatabase {
  stop(): Promise<void>;
  /** Starts it again on the same port, with all that was committed. */
  start(): Promise<void>;
  /** Connections stay open and every write is refused with SQLSTATE 25006, as while a standby takes over. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  remove(): Promise<void>;
}

export async function startPrivatePostgres(): Promise<PrivatePostgres> {
  const dataDir = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-postgres-"))) as string;
  const secrets = ensureSecrets(dataDir);
  let server = await startPostgres({ dataDir, secrets, durable: false });
  await deployMigrations(server.url);
  const own: TestDatabase = { db: catchUpByItself(connect(server.url, 10)), url: server.url, closing: [] };
  return {
    ...own,
    stop: () => server.stop(),
    start: async () => void (server = await startPostgres({ dataDir, secrets, durable: false, port: server.port })),
    setReadOnly: (isReadOnly) =>
      asRoot(server.url, secrets.databaseRootPassword as string, async (root) => {
        await root.query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
        await root.query("SELECT pg_reload_conf()");
        await until(
          () =>
            asRoot(
              server.url,
              secrets.databaseRootPassword as string,
              async (fresh) => (await fresh.query("SHOW default_transaction_read_only")).rows[0] as object,
            ),
          {
            what: `default_transaction_read_only is ${isReadOnly}`,
            isDone: (row) => Object.values(row)[0] === (isReadOnly ? "on" : "off"),
          },
        );
      }),
    remove: async () => {
      await closeAll(own);
      await own.db.$disconnect();
      await server.stop();
      removeDatabase(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** As the superuser, who is not affected by refused writes. */
async function asRoot<T>(url: string, password: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { username: ROOT_ROLE as string, password }).toString(),
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
