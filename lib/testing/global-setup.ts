import pg from "pg";
import { deployMigrations } from "../../scripts/migrate.mjs";

const kept = globalThis as typeof globalThis & { __kimitsuTemplate?: Promise<void> };

/**
 * Before all tests: the template database, with every migration as the product applies them. Vitest asks once for each
 * group of files.
 */
export default function setup(): Promise<void> {
  return (kept.__kimitsuTemplate ??= makeTemplate());
}

async function makeTemplate(): Promise<void> {
  const server = process.env.DATABASE_URL;
  // Pure tests run without a Postgres; a database test then reports what it needs.
  if (!server) return;
  const at = (name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).toString();
  const client = new pg.Client({ connectionString: at("postgres") });
  await client.connect();
  await client.query("DROP DATABASE IF EXISTS kimitsu_template WITH (FORCE)");
  await client.query("CREATE DATABASE kimitsu_template");
  await client.end();
  await deployMigrations(at("kimitsu_template"));
}
