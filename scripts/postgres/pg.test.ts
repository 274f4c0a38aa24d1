import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureDataFolder, ensureSecrets } from "./data-folder.mjs";
import { removeDatabase, startPostgres } from "./pg.mjs";
import { isAlive } from "../process/process-info.mjs";

let folder: string;
let secrets: unknown;
let server: {
  url: string;
  port: number;
  pid: number;
  adopted: boolean;
  cluster: string;
  exited: Promise<string>;
  stop(): Promise<void>;
};

const start = async (port?: number) => (server = await startPostgres({ dataDir: folder, secrets, port }));

async function query(text: string) {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  folder = ensureDataFolder(mkdtempSync(path.join(os.tmpdir(), "kimitsu-pg-")));
  secrets = ensureSecrets(folder);
  await start();
  await query("CREATE TABLE kept (id int)");
});
afterAll(async () => {
  await server?.stop();
  removeDatabase(folder);
  rmSync(folder, { recursive: true, force: true });
});

test("the application's role is no superuser and owns its database", async () => {
  expect(await query("SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user")).toEqual(
    [{ rolsuper: false, rolcreatedb: true, rolcreaterole: false }],
  );
  expect(
    await query("SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = current_database()"),
  ).toEqual([{ owner: "kimitsu" }]);
});

test("the server listens on the loopback address alone and asks for a password", async () => {
  expect(await query("SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
  const client = new pg.Client({
    host: "127.0.0.1",
    port: server.port,
    user: "kimitsu",
    password: "wrong",
    database: "kimitsu",
  });
  await expect(client.connect()).rejects.toThrow("password authentication failed");
});

test("a server that is still running is used again", async () => {
  const { pid, port } = server;
  expect(await start()).toMatchObject({ pid, port, adopted: true });
});

test("a killed server restarts on the port its clients know, with everything that was committed", async () => {
  await query("INSERT INTO kept VALUES (1)");
  const { pid, port, exited } = server;
  process.kill(pid, "SIGKILL");
  await exited;
  expect(await start(port)).toMatchObject({ port, adopted: false });
  expect(await query("SELECT count(*)::int AS rows FROM kept")).toEqual([{ rows: 1 }]);
});

test("another program that got the killed server's process id is left alone, and does not block the start", async () => {
  const noteFile = path.join(server.cluster, "postmaster.pid");
  const { uid, gid } = statSync(noteFile);
  const note = readFileSync(noteFile, "utf8");
  await server.stop();
  writeFileSync(noteFile, note.replace(/^\d+/, String(process.ppid)), { mode: 0o600 });
  chownSync(noteFile, uid, gid);
  await start();
  expect(isAlive(process.ppid)).toBe(true);
  expect(await query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("files of another PostgreSQL version are refused untouched, with the steps to migrate them", async () => {
  await server.stop();
  const file = path.join(server.cluster, "PG_VERSION");
  const own = readFileSync(file, "utf8");
  writeFileSync(file, "17\n");
  await expect(start()).rejects.toThrow(/made by PostgreSQL 17[\s\S]*pg_dump/);
  writeFileSync(file, own);
  await start();
});
