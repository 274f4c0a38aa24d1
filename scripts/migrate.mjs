#!/usr/bin/env node
/**
 * Migrations: `deploy` applies what is missing, `new <name>` writes the next one, `drift` compares them with the
 * schema.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  listMigrations,
  MIGRATIONS_FOLDER,
  pendingMigrations,
  refuseWrongStamps,
} from "./postgres/migration-files.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";

/** Any constant works, as long as every process of every release uses the same one ("kimitsu", in letters). */
const LOCK_KEY = "30239094838096757";

const USAGE = "Usage: node scripts/migrate.mjs deploy | new <name> | drift";

/** Prisma's own table, so that its tools can read the history as well. */
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz, migration_name varchar(255) NOT NULL,
  logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

/**
 * Applies the missing migrations and returns their names. Safe when several processes begin at once: one applies, the
 * others wait and find nothing left to do. Each migration and its entry in the history are one transaction, so a
 * process that is killed half-way leaves either both or neither.
 */
export async function deployMigrations(url, { migrationsFolder = MIGRATIONS_FOLDER } = {}) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const migrations = listMigrations(migrationsFolder);
    if (pendingMigrations(migrations, await readApplied(client)).length === 0) return [];
    // Held by this connection, so it is released with the process however that ends.
    await client.query("SELECT pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query(HISTORY_TABLE);
    const pending = pendingMigrations(migrations, await readApplied(client));
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

async function apply(client, migration) {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    await client.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES (gen_random_uuid()::text, $1, $2, clock_timestamp(), 1)",
      [migration.checksum, migration.name],
    );
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    const line = cause.position ? `, line ${migration.sql.slice(0, Number(cause.position)).split("\n").length}` : "";
    throw new PlainError(
      `The migration ${migration.file}${line} was refused by PostgreSQL: ${cause.message}\nNothing of it was applied; the ones before it are in place.`,
      { cause },
    );
  }
}

async function readApplied(client) {
  const {
    rows: [table],
  } = await client.query("SELECT to_regclass('_prisma_migrations') AS name");
  if (table.name === null) return [];
  const { rows } = await client.query(
    "SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at",
  );
  return rows;
}

async function findDrift(url) {
  refuseWrongStamps(
    listMigrations().map(({ name }) => name),
    new Date(),
  );
  // The engine is large; only the commands that compare load it.
  const { schemaDifference } = await import("./postgres/schema-engine.mjs");
  return schemaDifference(url);
}

async function writeMigration(url, name) {
  if (!/^[a-z][a-z0-9_]*$/.test(name ?? ""))
    throw new PlainError(
      `A migration is named in small letters, digits and underscores, such as add_run_labels; "${name ?? ""}" is not.\n${USAGE}`,
    );
  const sql = await findDrift(url);
  if (!sql) {
    console.log("The migrations already lead to the schema; there is nothing to write.");
    return;
  }
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = path.join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "migration.sql"), `${sql}\n`);
  const lock = path.join(MIGRATIONS_FOLDER, "migration_lock.toml");
  if (!existsSync(lock)) writeFileSync(lock, 'provider = "postgresql"\n');
  console.log(
    `Wrote ${path.relative(process.cwd(), path.join(folder, "migration.sql"))}. Read it before you commit it.`,
  );
}

async function reportDrift(url) {
  const sql = await findDrift(url);
  if (!sql) {
    console.log("The migrations lead to the schema.");
    return;
  }
  console.error(
    `prisma/schema.prisma says more than the migrations do. Write the missing one with: node scripts/migrate.mjs new <name>\n\n${sql}`,
  );
  process.exitCode = 2;
}

async function deploy(url) {
  const applied = await deployMigrations(url);
  console.log(
    applied.length === 0
      ? "Every migration is already applied."
      : `Applied:\n${applied.map((name) => `  ${name}`).join("\n")}`,
  );
}

async function main([command, name]) {
  const commands = { deploy, drift: reportDrift, new: (url) => writeMigration(url, name) };
  if (!Object.hasOwn(commands, command ?? "")) throw new PlainError(USAGE);
  const { openDatabase } = await import("./postgres/database.mjs");
  const database = await openDatabase();
  try {
    await commands[command](database.url);
  } finally {
    await database.stop();
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2)).catch((error) => (process.exitCode = reportFailure(error)));
