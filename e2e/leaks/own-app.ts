/** A whole installation of its own: database, project, data folder and web process, with whatever environment a test gives it; and everything it says. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { connect, type Db } from "@/lib/store/client";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { runTs } from "../../scripts/run-ts.mjs";
import { bootstrapAdmin, startWeb } from "../../scripts/services.mjs";
import { expect, required } from "../fixtures";
import type { Place } from "./search";

export interface OwnApp {
  url: string;
  db: Db;
  env: Record<string, string>;
  /** Every line that the web process has written. */
  lines: string[];
  /** `npx kimitsu …` in this installation. */
  cli(args: string[], env?: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }>;
  /** What lies in the data folder. */
  files(): Place[];
  /** Lets errors that nobody catches happen in the web process, with these secrets of its environment in them: one thrown, one rejected. */
  stumble(variables: string[]): Promise<void>;
  /** Ends the web process, so that its last words are there too. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Loaded before the application: on a signal, two errors happen in its process that quote secrets in their text and beside it. */
const STUMBLE = `import { readFileSync } from "node:fs";
process.on("SIGUSR2", () => {
  const secrets = JSON.parse(readFileSync(new URL("stumble.json", import.meta.url), "utf8")).map((name) => process.env[name]);
  const error = () => Object.assign(new Error("nobody caught " + secrets.join(" and ")), { headers: { authorization: secrets } });
  void Promise.reject(error());
  setImmediate(() => { throw error(); });
});
`;

export async function startOwnApp(project: Record<string, string>, secrets: Record<string, string>): Promise<OwnApp> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-leaks-"));
  for (const [file, text] of Object.entries(project)) {
    mkdirSync(path.dirname(path.join(folder, "kimitsu", file)), { recursive: true });
    writeFileSync(path.join(folder, "kimitsu", file), text);
  }
  const data = path.join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const database = await createDatabase();
  const port = (await freePort()) as number;
  const url = `http://localhost:${port}`;
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    TMPDIR: process.env.TMPDIR ?? os.tmpdir(),
    NEXT_TELEMETRY_DISABLED: "1",
    DATABASE_URL: database.url,
    KIMITSU_DATA: data,
    KIMITSU_PROJECT: path.join(folder, "kimitsu"),
    KIMITSU_ALLOW_HOSTS: "127.0.0.1",
    LOG_LEVEL: "trace",
    PORT: String(port),
    HOST: "localhost",
    ...secrets,
  };
  await bootstrapAdmin(env);
  const stumbling = path.join(folder, "stumble.mjs");
  writeFileSync(stumbling, STUMBLE);
  const lines: string[] = [];
  const web = (await startWeb({ env: { ...env, NODE_OPTIONS: `--import ${stumbling}` }, url, write: (line: string) => void lines.push(line) })) as { pid: number; stop(): Promise<void> };
  const db = connect(database.url, 2);
  return {
    url,
    db,
    env,
    lines,
    cli: (args, more = {}) => runTs("lib/cli/main.ts", args, { ...env, ...more }) as Promise<{ code: number; stdout: string; stderr: string }>,
    files: () => readFolder(data),
    stumble: async (variables) => {
      writeFileSync(path.join(folder, "stumble.json"), JSON.stringify(variables));
      process.kill(web.pid, "SIGUSR2");
      await expect.poll(() => lines.filter((line) => line.includes("nobody caught")).length).toBeGreaterThanOrEqual(2);
    },
    stop: () => web.stop(),
    remove: async () => {
      await web.stop();
      await db.$disconnect();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = required("DATABASE_URL");
  const name = `kimitsu_leaks_${randomBytes(4).toString("hex")}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await deployMigrations(url.href);
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

function readFolder(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ name: `file ${path.relative(folder, file)}`, text: readFileSync(file, "latin1") }));
}
