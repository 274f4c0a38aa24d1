#!/usr/bin/env node
/**
 * The `kimitsu` command. It provides the runtime, the secrets and, when a command asks for it, the database; lib/cli
 * does the rest.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { install } from "./install.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applyStartOptions } from "./start-options.mjs";
import { continueOnApplicationNode, requireSupportedNode, ROOT, setting } from "./runtime.mjs";

/**
 * Commands that only read the project's files (`explain` also what the database knows, where there is one); loading no
 * more than they need is most of their speed.
 */
const OFFLINE = ["validate", "tree", "explain", "schema"];

/**
 * Called by the commands that need the database, and by no others, so that `kimitsu validate` works without one. Sets
 * DATABASE_URL and AUTH_SECRET and returns `{ url, stop }`.
 */
async function openApplicationDatabase() {
  const { openDatabase } = await import("./postgres/database.mjs");
  const { deployMigrations } = await import("./migrate.mjs");
  const isEmbedded = !setting("DATABASE_URL");
  const database = await openDatabase();
  try {
    await provideSecret({ create: true });
    // A database of one's own is migrated by `kimitsu start`, when its owner decides to.
    if (isEmbedded) await deployMigrations(database.url);
  } catch (error) {
    await database.stop();
    throw error;
  }
  process.env.DATABASE_URL = database.url;
  return database;
}

async function provideSecret({ create }) {
  if (setting("AUTH_SECRET")) return;
  const { dataFolderPath, ensureDataFolder, ensureSecrets, readSecrets } = await import("./postgres/data-folder.mjs");
  const secrets = create ? ensureSecrets(ensureDataFolder(dataFolderPath())) : readSecrets(dataFolderPath());
  if (secrets) process.env.AUTH_SECRET = secrets.authSecret;
}

/** For backups and other tools: the address of the database, while a start keeps it running. */
async function printDatabaseUrl() {
  const { dataFolderPath } = await import("./postgres/data-folder.mjs");
  const { lockHolder } = await import("./process/instance-lock.mjs");
  if (!setting("DATABASE_URL") && !lockHolder(dataFolderPath()))
    throw new PlainError("Kimitsu is not running, so its database has no address. Start it with: npm start");
  const { openDatabase } = await import("./postgres/database.mjs");
  console.log((await openDatabase()).url);
}

/** A database that already runs, or that is named; a question about a policy is no reason to start one. */
async function hasDatabase() {
  if (setting("DATABASE_URL")) return true;
  const { dataFolderPath } = await import("./postgres/data-folder.mjs");
  const { lockHolder } = await import("./process/instance-lock.mjs");
  return Boolean(lockHolder(dataFolderPath()));
}

async function main([command, ...rest]) {
  requireSupportedNode();
  const help = command === "start" ? applyStartOptions(rest) : null;
  if (help !== null) return console.log(help);
  if (!existsSync(path.join(ROOT, "node_modules"))) await install();
  if (command === "start") return void (await import("./start.mjs"));
  await continueOnApplicationNode();
  if (command === "database-url") return printDatabaseUrl();
  await provideSecret({ create: false });
  globalThis.__kimitsuDatabase = openApplicationDatabase;
  const { importTs } = await import("./run-ts.mjs");
  const isOffline = OFFLINE.includes(command) && !(command === "explain" && (await hasDatabase()));
  const entry = isOffline ? "lib/cli/offline.ts" : "lib/cli/main.ts";
  await importTs(entry, command === undefined ? [] : [command, ...rest]);
}

main(process.argv.slice(2)).catch((error) => process.exit(reportFailure(error)));
