/**
 * Prisma's schema engine as WebAssembly, over our own connections: it returns the SQL by which the schema differs from
 * the migrations. The native engine is a download that not every network allows; this one comes with the packages.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import pg from "pg";
import { listMigrations, MIGRATIONS_FOLDER, SCHEMA_FILE } from "./migration-files.mjs";
import { PlainError } from "../plain-error.mjs";

const CHAR_OID = 18;
const TEXT_OID = 25;

let loading;

/**
 * Loaded once: its bindings keep views into the memory of one instance, and a second one would be read through them.
 */
const loadEngine = () => (loading ??= instantiate());

async function instantiate() {
  const bindings = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const folder = path.dirname(createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm"));
  const compiled = await WebAssembly.compile(readFileSync(path.join(folder, "schema_engine_bg.wasm")));
  const instance = await WebAssembly.instantiate(compiled, { "./schema_engine_bg.js": bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  // The engine reports its own panics here; without the object they surface as an unrelated TypeError.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    message: "",
    set_message: function (text) {
      this.message = text;
    },
    get: function () {
      return this.message;
    },
  };
  return bindings.SchemaEngine;
}

/**
 * Given as separate fields because a connection string would override the name of the shadow database, which would then
 * be the real one.
 */
function connectionFields(url) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const sslmode = searchParams.get("sslmode");
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ...(sslmode && sslmode !== "disable"
      ? { ssl: { rejectUnauthorized: sslmode === "verify-full" || sslmode === "verify-ca" } }
      : {}),
  };
}

/**
 * Two fixes for the adapter. It splits scripts at every semicolon, also inside the body of a function: send them whole.
 * And it refuses the catalogue's type "char", which the engine reads when it inspects a database: pass it as text,
 * named a character.
 */
function repaired(adapter) {
  adapter.executeScript = async (script) => {
    await adapter
      .underlyingDriver()
      .query(script)
      .catch((error) => adapter.onError(error));
  };
  const queryRaw = Object.getPrototypeOf(adapter).queryRaw;
  adapter.queryRaw = async (query) => {
    let chars = [];
    const seen = Object.create(adapter);
    seen.performIO = async (request) => {
      const result = await adapter.performIO(request);
      chars = result.fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []));
      const fields = result.fields.map((field) =>
        field.dataTypeID === CHAR_OID ? { ...field, dataTypeID: TEXT_OID } : field,
      );
      return { ...result, fields, rows: result.rows };
    };
    const answer = await queryRaw.call(seen, query);
    for (const index of chars) answer.columnTypes[index] = ColumnTypeEnum.Character;
    return answer;
  };
  return adapter;
}

/**
 * A database of its own, dropped by us after its connections are closed: the adapter drops its own too early and leaves
 * it behind.
 */
async function connectToShadow(fields) {
  const name = `kimitsu_shadow_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client(fields);
  await admin.connect();
  await admin.query(`CREATE DATABASE "${name}"`);
  const adapter = await new PrismaPg({ ...fields, database: name }).connect();
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await admin.end();
  };
  return repaired(adapter);
}

/**
 * The SQL that leads from the migrations to the schema; empty when they agree. Needs a role that may create databases.
 */
export async function schemaDifference(url, { schemaFile = SCHEMA_FILE, migrationsFolder = MIGRATIONS_FOLDER } = {}) {
  const SchemaEngine = await loadEngine();
  const fields = connectionFields(url);
  const base = new PrismaPg(fields);
  const open = [];
  const track = async (connecting) => {
    const adapter = await connecting;
    open.push(adapter);
    return adapter;
  };
  const factory = bindMigrationAwareSqlAdapterFactory({
    provider: base.provider,
    adapterName: base.adapterName,
    connect: () => track(base.connect().then(repaired)),
    connectToShadowDb: () => track(connectToShadow(fields)),
  });
  const schema = { files: [{ path: schemaFile, content: readFileSync(schemaFile, "utf8") }] };
  const engine = await SchemaEngine.new(
    { datamodels: schema.files.map((file) => [file.path, file.content]) },
    () => {},
    factory,
  );
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: "migrations", ...migrationList(migrationsFolder) },
      to: { tag: "schemaDatamodel", ...schema },
      script: true,
      exitCode: true,
      shadowDatabaseUrl: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 2 ? withoutInexpressible(stdout ?? "", listMigrations(migrationsFolder)) : "";
  } catch (cause) {
    // What follows the first numbered line is the engine's own call stack.
    throw new PlainError(
      `The migrations cannot be compared with the schema:\n\n${cause.message.split(/\n\s+0: /)[0]}`,
      { cause },
    );
  } finally {
    engine.free();
    // The engine has closed most of them itself; a second close is refused, which is harmless.
    await Promise.all(open.map((adapter) => adapter.dispose().catch(() => {})));
  }
}

/**
 * The engine ignores partial and expression indexes, checks and triggers, but mistakes a unique index with NULLS NOT
 * DISTINCT for a plain one that the schema lacks. No schema can express it, so dropping it is not a difference.
 */
function withoutInexpressible(script, migrations) {
  const indexes = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/CREATE UNIQUE INDEX\s+"?(\w+)"?[^;]*NULLS NOT DISTINCT/gi)].map((match) => match[1]),
  );
  return indexes.reduce((rest, name) => rest.replace(`-- DropIndex\nDROP INDEX "${name}";\n`, ""), script).trim();
}

function migrationList(folder) {
  const lockFile = path.join(folder, "migration_lock.toml");
  return {
    baseDir: folder,
    shadowDbInitScript: "",
    lockfile: { path: "migration_lock.toml", content: existsSync(lockFile) ? readFileSync(lockFile, "utf8") : null },
    migrationDirectories: listMigrations(folder).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
    })),
  };
}
