/**
 * A database as an earlier release left it, as rows in plain SQL: made by real processes once, and stored. It is
 * restored by the migrations that it was made with; those that came later are for the test to apply.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import type { Db } from "@/lib/database/client";
import { startRecordingServer, type RecordingServer } from "@/lib/testing/recording-server";
import { until } from "@/lib/testing/until";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { listMigrations, MIGRATIONS_FOLDER } from "../../scripts/postgres/migration-files.mjs";

/** The kept project names the address of its tool server; below the range of ports that systems assign. */
const SERVER_PORT = 28_117;
const FILE = path.resolve(import.meta.dirname, "../database/fixtures/first-schema.sql");

/** Another run of the tests on this machine may have the port for a while. */
export async function startFixtureServer(): Promise<RecordingServer> {
  const tryStart = () =>
    startRecordingServer({ port: SERVER_PORT }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
      return null;
    });
  const server = await until(tryStart, { what: `port ${SERVER_PORT} is free`, isDone: (found) => found !== null });
  return server!;
}

interface Migration {
  name: string;
  checksum: string;
}

/** Parents first. What a migration writes itself, and what is about one machine, is left out. */
const TABLES = [
  "users",
  "project_versions",
  "runs",
  "approvals",
  "journal",
  "chains",
  "anchors",
  "tool_definitions WHERE tool IN (SELECT tool FROM calls)",
  "tool_pins WHERE tool IN (SELECT tool FROM calls)",
  "tool_server_states",
  "steps",
  "turns",
  "calls",
  "decisions",
  "events",
  "run_search",
  "approval_search",
  "projected_runs",
];

export async function writeFixture(db: Db): Promise<void> {
  const made = (listMigrations() as Migration[]).map(({ name, checksum }) => `-- migration ${name} ${checksum}`);
  const rows = [];
  for (const table of TABLES) rows.push(...(await readRows(db, table)));
  const why =
    "-- A database of this schema with runs that wait, are executing and are over: scripts/upgrade-fixture.mjs.";
  writeFileSync(FILE, [why, ...made, "SET timezone = 'UTC';", "DELETE FROM chains;", ...rows, ""].join("\n"));
}

async function readRows(db: Db, from: string): Promise<string[]> {
  const [table = ""] = from.split(" ");
  const columns = await db.$queryRaw<{ name: string }[]>`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ${table} AND is_generated = 'NEVER' ORDER BY ordinal_position`;
  const names = columns.map(({ name }) => `"${name}"`);
  const values = names.map((name) => `quote_nullable(${name}::text)`).join(" || ', ' || ");
  const rows = await db.$queryRawUnsafe<{ values: string }[]>(`SELECT ${values} AS values FROM ${from} ORDER BY 1`);
  return rows.map((row) => `INSERT INTO ${table} (${names.join(", ")}) VALUES (${row.values});`);
}

/** The names of migrations that came after it, which are applied too. Throws when one of its own was changed. */
export async function restoreFixture(url: string): Promise<string[]> {
  const text = readFileSync(FILE, "utf8");
  const made = [...text.matchAll(/^-- migration (\S+) (\S+)$/gm)].map(([, name, checksum]) => ({ name, checksum }));
  const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-first-"));
  for (const { name } of made)
    cpSync(path.join(MIGRATIONS_FOLDER as string, name!), path.join(folder, name!), { recursive: true });
  await deployMigrations(url, { migrationsFolder: folder });
  const changed = (listMigrations(folder) as Migration[]).filter(
    ({ name, checksum }) => made.find((one) => one.name === name)?.checksum !== checksum,
  );
  rmSync(folder, { recursive: true, force: true });
  if (changed.length > 0)
    throw new Error(
      `${changed.map(({ name }) => name).join(", ")} was changed after databases were made with it. Before the first release the fixture is made again by: node scripts/upgrade-fixture.mjs`,
    );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`BEGIN; ${text} COMMIT`);
    await passTransactions(client);
  } finally {
    await client.end();
  }
  return deployMigrations(url);
}

/** In place, transaction numbers continue; here they are advanced to where the rows are. */
async function passTransactions(client: pg.Client): Promise<void> {
  await client.query(`DO $$ BEGIN
    WHILE pg_current_xact_id()::text::bigint <= (SELECT max(tx) FROM journal) LOOP COMMIT; END LOOP;
  END $$`);
}
