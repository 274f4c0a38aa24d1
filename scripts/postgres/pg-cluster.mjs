/** Creates the embedded database's files once, and refuses those of another PostgreSQL version. */
import { spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { diskFullError, isDiskFull } from "../disk.mjs";
import { PlainError } from "../plain-error.mjs";
import { isAlive } from "../process/process-info.mjs";

export const ROOT_ROLE = "kimitsu_root";
export const APP_ROLE = "kimitsu";
export const APP_DATABASE = "kimitsu";

/** True when the files exist and match the binaries. */
export function isInitialized({ cluster, major }) {
  const file = path.join(cluster, "PG_VERSION");
  if (!existsSync(file)) return false;
  const found = readFileSync(file, "utf8").trim();
  if (found === major) return true;
  const old = `${cluster}-${found}`;
  throw new PlainError(
    `The database in ${cluster} was made by PostgreSQL ${found}; this release of Kimitsu brings PostgreSQL ${major}, which cannot read its files.\n` +
      `Nothing was changed. To carry the data over (needs the PostgreSQL client and server tools of version ${found}):\n` +
      `  1. mv ${cluster} ${old}\n` +
      `  2. Serve the old files: pg_ctl -D ${old} -o "-p 5499" start\n` +
      `     and save them: pg_dump -h 127.0.0.1 -p 5499 -U ${ROOT_ROLE} -Fc -f kimitsu.dump ${APP_DATABASE}   (password: databaseRootPassword in secrets.json)\n` +
      `  3. pg_ctl -D ${old} stop, then start Kimitsu once, so that it makes an empty database, and leave it running\n` +
      `  4. pg_restore --clean --if-exists -d "$(npx kimitsu database-url)" kimitsu.dump\n` +
      "     and start Kimitsu anew.\n" +
      "Or go back to the release of Kimitsu that made it.",
  );
}

/**
 * Everything happens in a draft folder that is renamed at the end: a start that is killed half-way leaves no half-made
 * database, and of two that begin at once the second uses what the first has made.
 */
export async function initialize({ site, secrets, durable }) {
  const { cluster, ids } = site;
  removeAbandonedDrafts(cluster);
  const draft = `${cluster}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, `${secrets.databaseRootPassword}\n`, { mode: 0o600 });
    if (ids.uid !== undefined) for (const file of [draft, passwordFile]) chownSync(file, ids.uid, ids.gid);
    await runInitdb({ site, draft, passwordFile, durable });
    await createApplicationRole({ site, draft, password: secrets.databasePassword });
    rename(draft, cluster);
  } catch (error) {
    throw isDiskFull(String(error.code)) ? diskFullError(path.dirname(cluster), error) : error;
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

function removeAbandonedDrafts(cluster) {
  const prefix = `${path.basename(cluster)}.new-`;
  for (const name of readdirSync(path.dirname(cluster))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid === process.pid || !isAlive(pid))
      rmSync(path.join(path.dirname(cluster), name), { recursive: true, force: true });
  }
}

async function runInitdb({ site, draft, passwordFile, durable }) {
  const access = ["-U", ROOT_ROLE, `--pwfile=${passwordFile}`, "-A", "scram-sha-256"];
  // The builtin locale sorts the same on every system; one from the system may change and break a database's indexes.
  const locale = ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const { code, output } = await run(site, "initdb", {
    args: ["-D", draft, ...access, ...locale, ...(durable ? [] : ["--no-sync"])],
  });
  if (code !== 0) throw failure(site, "PostgreSQL could not make its files (initdb)", output);
}

/**
 * The application's role owns its database and may make others (tests, shadow databases), but is no superuser: what a
 * migration revokes from it, such as changing the audit trail, it cannot take back.
 */
async function createApplicationRole({ site, draft, password }) {
  const statements = [
    `CREATE ROLE ${APP_ROLE} LOGIN CREATEDB PASSWORD '${password}'`,
    `CREATE DATABASE ${APP_DATABASE} OWNER ${APP_ROLE}`,
    `REVOKE ALL ON DATABASE ${APP_DATABASE} FROM PUBLIC`,
  ];
  const { code, output } = await run(site, "postgres", {
    args: ["--single", "-D", draft, "postgres"],
    input: `${statements.join(";\n")};\n`,
  });
  // Single-user mode reports a refused statement but still exits with success.
  if (code !== 0 || /^.*(ERROR|FATAL|PANIC):/m.test(output))
    throw failure(site, "PostgreSQL could not make the application's role", output.replaceAll(password, "…"));
}

function run(site, program, { args, input = "" }) {
  const child = spawn(path.join(site.native, "bin", program), args, {
    ...site.ids,
    cwd: path.parse(site.native).root,
    stdio: "pipe",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  // A program that ended early does not read its input; its exit code says so.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

function rename(draft, cluster) {
  try {
    renameSync(draft, cluster);
  } catch (error) {
    if (!existsSync(path.join(cluster, "PG_VERSION"))) throw error;
  }
}

function failure(site, what, output) {
  if (isDiskFull(output)) return diskFullError(path.dirname(site.cluster));
  return new PlainError(
    `${what} in ${site.cluster}. What it said:\n\n${output.trim().split("\n").slice(-15).join("\n")}`,
  );
}
