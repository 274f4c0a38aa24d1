/** A Postgres of the test's own, which it may stop and start. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { connect } from "@/lib/store/client";
import { closeAll, type TestDatabase } from "@/lib/testing/database";
import { ensureDataFolder, ensureSecrets } from "../../scripts/data-folder.mjs";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { removeDatabase, startPostgres } from "../../scripts/pg.mjs";

export interface PrivatePostgres extends TestDatabase {
  stop(): Promise<void>;
  /** Where it was, with all that was committed. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function startPrivatePostgres(): Promise<PrivatePostgres> {
  const dataDir = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-postgres-"))) as string;
  const secrets = ensureSecrets(dataDir);
  let server = await startPostgres({ dataDir, secrets, durable: false });
  await deployMigrations(server.url);
  const own: TestDatabase = { db: connect(server.url, 10), url: server.url, closing: [] };
  return {
    ...own,
    stop: () => server.stop(),
    start: async () => void (server = await startPostgres({ dataDir, secrets, durable: false, port: server.port })),
    remove: async () => {
      await closeAll(own);
      await own.db.$disconnect();
      await server.stop();
      removeDatabase(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
