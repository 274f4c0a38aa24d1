import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { databaseUrl, withServer } from "@/lib/testing/database";
import { deployMigrations } from "./migrate.mjs";
import { schemaDifference } from "./postgres/schema-engine.mjs";

const REAL = path.resolve(import.meta.dirname, "../prisma");
let folder: string;
let name: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-migrations-"));
  name = `kimitsu_test_${randomBytes(6).toString("hex")}`;
  await withServer((client) => client.query(`CREATE DATABASE "${name}"`));
});
afterEach(async () => {
  await withServer((client) => client.query(`DROP DATABASE "${name}" WITH (FORCE)`));
  rmSync(folder, { recursive: true, force: true });
});

function write(migration: string, sql: string) {
  mkdirSync(path.join(folder, migration), { recursive: true });
  writeFileSync(path.join(folder, migration, "migration.sql"), sql);
}

const deploy = () => deployMigrations(databaseUrl(name), { migrationsFolder: folder });

async function tables(): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl(name) });
  await client.connect();
  const { rows } = await client.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  await client.end();
  return rows.map((row) => row.tablename);
}

test("processes that migrate at the same moment apply each migration once", async () => {
  write("1_one", "CREATE TABLE one (id int); SELECT pg_sleep(0.2);");
  write("2_two", "CREATE TABLE two (id int);");
  const applied = await Promise.all([deploy(), deploy(), deploy()]);
  expect(applied.flat().sort()).toEqual(["1_one", "2_two"]);
  expect(await deploy()).toEqual([]);
});

test("a migration that fails leaves nothing of itself, names file and line, and can be corrected", async () => {
  write("1_one", "CREATE TABLE one (id int);");
  write("2_two", "CREATE TABLE two (id int);\nCREATE TABLE three (id nonsense);");
  await expect(deploy()).rejects.toThrow(/2_two\/migration\.sql, line 2 .*nonsense/);
  expect(await tables()).toEqual(["_prisma_migrations", "one"]);
  write("2_two", "CREATE TABLE two (id int);");
  expect(await deploy()).toEqual(["2_two"]);
});

test("a migration that was changed or removed after it was applied is named, and nothing is done", async () => {
  write("1_one", "CREATE TABLE one (id int);");
  write("2_two", "CREATE TABLE two (id int);");
  await deploy();
  write("1_one", "CREATE TABLE one (id bigint);");
  rmSync(path.join(folder, "2_two"), { recursive: true });
  write("3_three", "CREATE TABLE three (id int);");
  await expect(deploy()).rejects.toThrow(
    /1_one\/migration\.sql was changed after it was applied\n.*2_two\/migration\.sql is missing/,
  );
  expect(await tables()).not.toContain("three");
});

test("a migration left unfinished by another tool is not skipped", async () => {
  write("1_one", "CREATE TABLE one (id int);");
  await deploy();
  const client = new pg.Client({ connectionString: databaseUrl(name) });
  await client.connect();
  await client.query("UPDATE _prisma_migrations SET finished_at = NULL, logs = 'syntax error'");
  await client.end();
  await expect(deploy()).rejects.toThrow(/1_one was begun and did not finish:\s+syntax error/);
});

test("the schema and the migrations agree, and a column that only the schema has is reported", async () => {
  const migrationsFolder = path.join(folder, "migrations");
  cpSync(path.join(REAL, "migrations"), migrationsFolder, { recursive: true });
  expect(await schemaDifference(databaseUrl(name), { migrationsFolder })).toBe("");
  mkdirSync(path.join(migrationsFolder, "99999999999999_extra"));
  writeFileSync(
    path.join(migrationsFolder, "99999999999999_extra", "migration.sql"),
    "CREATE TABLE stray (id int PRIMARY KEY);",
  );
  expect(await schemaDifference(databaseUrl(name), { migrationsFolder })).toContain('DROP TABLE "stray"');
  expect(await tables()).toEqual([]);
});
