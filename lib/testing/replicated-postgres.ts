/**
 * A primary and a standby that follows it by streaming replication, behind a relay that clients connect to. Real
 * servers, real promotion.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { connect } from "@/lib/database/client";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { closeAll, type TestDatabase } from "@/lib/testing/database";
import { openTcpRelay, type TcpRelay } from "@/lib/testing/tcp-relay";
import { until } from "@/lib/testing/until";
import { ensureDataFolder, ensureSecrets } from "../../scripts/postgres/data-folder.mjs";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { APP_ROLE, ROOT_ROLE } from "../../scripts/postgres/pg-cluster.mjs";
import { databaseSite } from "../../scripts/postgres/pg-site.mjs";
import { databaseUrl, removeDatabase, startPostgres } from "../../scripts/postgres/pg.mjs";
import { freePort } from "../../scripts/process/ports.mjs";

const START_MS_MAX = 60_000;
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=400",
  "autovacuum=off",
  "fsync=off",
  "full_page_writes=off",
  "timezone=UTC",
];

/** `ids` is empty unless the tests run as root, which Postgres refuses. */
interface Site {
  cluster: string;
  native: string;
  ids: { uid?: number; gid?: number };
}

interface Node {
  port: number;
  process: ChildProcess;
  remove(): void;
}

export interface ReplicatedPostgres extends TestDatabase {
  /** Resolves when the standby has all that was committed. */
  catchUp(): Promise<void>;
  /** The standby receives nothing more: what is committed from here on is lost with the primary. */
  cutReplication(): void;
  /** The primary is killed, the standby is promoted, and clients are redirected to it. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

export async function startReplicatedPostgres({
  isSynchronous,
}: {
  isSynchronous: boolean;
}): Promise<ReplicatedPostgres> {
  const folders = [0, 1].map(
    () => ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-replicated-"))) as string,
  );
  const secrets = ensureSecrets(folders[0]!) as { databaseRootPassword: string };
  const [first, second] = folders.map((folder) => databaseSite(folder) as Site);
  await makeCluster(folders[0]!, secrets);
  spawnSync("cp", ["-a", first!.cluster, second!.cluster]);
  const primary = await startNode(folders[0]!, first!, isSynchronous ? ["synchronous_standby_names=*"] : []);
  const link = await openTcpRelay(primary.port);
  const signal = path.join(second!.cluster, "standby.signal");
  writeFileSync(signal, "");
  if (second!.ids.uid !== undefined) chownSync(signal, second!.ids.uid, second!.ids.gid ?? 0);
  const from = `host=127.0.0.1 port=${link.port} user=${ROOT_ROLE} password=${secrets.databaseRootPassword}`;
  appendFileSync(
    path.join(second!.cluster, "postgresql.auto.conf"),
    `primary_conninfo = '${from}'\nwal_retrieve_retry_interval = '100ms'\n`,
  );
  const standby = await startNode(folders[1]!, second!, []);
  const ask = (node: Node, text: string) => asRoot(node.port, secrets.databaseRootPassword, text);
  const relay = await openTcpRelay(primary.port);
  const hasAll = () =>
    ask(
      primary,
      "SELECT count(*)::int AS count FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_insert_lsn()",
    );
  await until(hasAll, { what: "the standby follows", timeoutMs: START_MS_MAX, isDone: (row) => row.count === 1 });
  const url = databaseUrl(secrets, relay.port) as string;
  const own: TestDatabase = { db: catchUpByItself(connect(url, 10)), url, closing: [] };
  return {
    ...own,
    catchUp: async () =>
      void (await until(hasAll, {
        what: "the standby has all",
        timeoutMs: START_MS_MAX,
        isDone: (row) => row.count === 1,
      })),
    cutReplication: () => link.pointTo(null),
    failOver: async () => {
      primary.process.kill("SIGKILL");
      relay.pointTo(null);
      await ask(standby, "SELECT pg_promote(true) AS done");
      relay.pointTo(standby.port);
    },
    remove: async () => {
      await closeAll(own);
      await own.db.$disconnect();
      await removeNodes([primary, standby], [link, relay]);
    },
  };
}

async function removeNodes(nodes: Node[], relays: TcpRelay[]): Promise<void> {
  await Promise.all(relays.map((relay) => relay.close()));
  for (const { process: server, remove } of nodes) {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGQUIT");
      await ended;
    }
    remove();
  }
}

/** With the migrations, and stopped. */
async function makeCluster(folder: string, secrets: { databaseRootPassword: string }): Promise<void> {
  const server = await startPostgres({ dataDir: folder, secrets, durable: false });
  await deployMigrations(server.url);
  // A role's own setting overrides the options of the embedded server.
  await asRoot(server.port, secrets.databaseRootPassword, `ALTER ROLE ${APP_ROLE} SET synchronous_commit = on`);
  await server.stop();
}

async function startNode(folder: string, { cluster, native, ids }: Site, more: string[]): Promise<Node> {
  const port = (await freePort()) as number;
  const args = ["-D", cluster, "-p", String(port), ...[...SETTINGS, ...more].flatMap((setting) => ["-c", setting])];
  const server = spawn(path.join(native, "bin/postgres"), args, {
    ...ids,
    cwd: path.parse(native).root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  // A test that fails before this leaves no server behind.
  const end = () => void server.kill("SIGKILL");
  process.once("exit", end);
  server.once("exit", () => process.off("exit", end));
  let complaints = "";
  server.stderr!.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const answers = async () => {
    if (server.exitCode !== null) throw new Error(`Postgres ended: ${complaints}`);
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: "nobody-knows",
      database: "postgres",
      password: "x",
    });
    // A rejected password counts as an answer.
    return client.connect().then(
      () => "yes",
      (error: { code?: string }) => (error.code === "28P01" ? "yes" : "no"),
    );
  };
  await until(answers, { what: `a server on port ${port}`, timeoutMs: START_MS_MAX, isDone: (seen) => seen === "yes" });
  const remove = () => {
    removeDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, process: server, remove };
}

async function asRoot(port: number, password: string, text: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: ROOT_ROLE as string, password, database: "kimitsu" });
  await client.connect();
  try {
    return ((await client.query(text)).rows[0] ?? {}) as Record<string, unknown>;
  } finally {
    await client.end();
  }
}
