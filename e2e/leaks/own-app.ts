/**
 * A whole installation of its own: database, project, data folder, web process and workers, with whatever environment a
 * test gives it; and all their output.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { connect, type Db } from "@/lib/database/client";
import { listBehind } from "@/lib/runs/projections/read-entries";
import { deployMigrations } from "../../scripts/migrate.mjs";
import { startNode } from "../../scripts/process/node-child.mjs";
import { freePort } from "../../scripts/process/ports.mjs";
import { applicationNode, ROOT } from "../../scripts/runtime.mjs";
import { bootstrapAdmin, startWeb } from "../../scripts/process/services.mjs";
import { expect, required } from "../fixtures";
import type { Place } from "./search";
import { FAULT_PROGRAM, type Fault, writeFault } from "./uncaught-fault";

interface Child {
  pid: number;
  ended: Promise<{ code: number | null; reason: string }>;
  stop(): Promise<void>;
}

/** `kimitsu worker`. */
export interface OwnWorker {
  /** The address of its health endpoint. */
  url: string;
  /** Every line that it has written. */
  lines: string[];
  /**
   * Causes an uncaught error in it, with these secrets of its environment in the text. Resolves with its exit code when
   * it is gone.
   */
  crash(kind: Fault, variables: string[]): Promise<number | null>;
  stop(): Promise<void>;
}

export interface OwnApp {
  url: string;
  db: Db;
  env: Record<string, string>;
  /** Every line that the web process has written. */
  lines: string[];
  /** `npx kimitsu …` in this installation. */
  cli(args: string[], env?: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }>;
  /** When its processes have projected all that is in the journal; this one cannot, because it has other keys. */
  untilProjected(): Promise<void>;
  /** What is in the data folder. */
  files(): Place[];
  /**
   * Causes uncaught errors in the web process, with these secrets of its environment in the text: one thrown, one
   * rejected.
   */
  fault(variables: string[]): Promise<void>;
  startWorker(): Promise<OwnWorker>;
  /** A web process again, after the first was ended, with other variables. */
  start(more: Record<string, string>): Promise<void>;
  /** Ends the web process, so that its last output is included. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function startOwnApp(project: Record<string, string>, secrets: Record<string, string>): Promise<OwnApp> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-leaks-"));
  for (const [file, text] of Object.entries(project)) {
    mkdirSync(path.dirname(path.join(folder, "kimitsu", file)), { recursive: true });
    writeFileSync(path.join(folder, "kimitsu", file), text);
  }
  const data = path.join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const database = await createDatabase();
  await deployMigrations(database.url);
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
  const faultProgram = path.join(folder, "fault.mjs");
  writeFileSync(faultProgram, FAULT_PROGRAM);
  const processEnv = { ...env, NODE_OPTIONS: `--import ${faultProgram}` };
  const lines: string[] = [];
  const openWeb = (more: Record<string, string> = {}) =>
    startWeb({
      env: { ...processEnv, ...more },
      url,
      write: (line: string) => void lines.push(line),
    }) as Promise<Child>;
  let web = await openWeb();
  const workers: Child[] = [];
  const db = connect(database.url, 2);
  const fault = (pid: number, kinds: Fault[], variables: string[]) => {
    writeFault(folder, kinds, variables);
    process.kill(pid, "SIGUSR2");
  };
  const startWorker = async (): Promise<OwnWorker> => {
    const probe = (await freePort()) as number;
    const said: string[] = [];
    const known = new Set((await db.worker.findMany({ select: { id: true } })).map(({ id }) => id));
    const child = startNode({
      name: "work",
      args: ["scripts/kimitsu.mjs", "worker"],
      env: { ...processEnv, KIMITSU_WORKER_PORT: String(probe) },
      write: (line: string) => void said.push(line),
    }) as Child;
    workers.push(child);
    // The command is a process of its own, before the one that advances runs.
    const find = async () => (await db.worker.findMany()).find(({ id, capacity }) => capacity > 0 && !known.has(id));
    await expect
      .poll(async () => Boolean(await find()), { message: `a worker on the list; it says ${said.join("\n")}` })
      .toBe(true);
    const pid = Number((await find())!.process.split(":").at(-1));
    return {
      url: `http://localhost:${probe}`,
      lines: said,
      crash: async (kind, variables) => {
        fault(pid, [kind], variables);
        return (await child.ended).code;
      },
      stop: () => child.stop(),
    };
  };
  return {
    url,
    db,
    env,
    lines,
    cli: (args, more = {}) => runCommand(args, { ...env, ...more }),
    untilProjected: () => expect.poll(() => listBehind(db, "", 1), { message: "what is not projected" }).toEqual([]),
    files: () => readFolder(data),
    fault: async (variables) => {
      fault(web.pid, ["rejected", "thrown"], variables);
      await expect.poll(() => lines.filter((line) => line.includes("nobody caught")).length).toBeGreaterThanOrEqual(2);
    },
    startWorker,
    start: async (more) => void (web = await openWeb(more)),
    stop: () => web.stop(),
    remove: async () => {
      await Promise.all([web, ...workers].map((child) => child.stop()));
      await db.$disconnect();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As typed, so that each command is loaded the way it is for a person. */
function runCommand(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(applicationNode() as string, [path.join(ROOT as string, "scripts/kimitsu.mjs"), ...args], {
    cwd: ROOT as string,
    env: env as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, ...said }));
  });
}

/** An empty one, on the server of the tests. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
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
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Every file below the folder. */
export function readFolder(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ name: `file ${path.relative(folder, file)}`, text: readFileSync(file, "latin1") }));
}
