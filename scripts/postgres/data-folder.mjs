/**
 * KIMITSU_DATA: the folder with the embedded database, the generated secrets, the logs and the lock of a running start.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { diskFullError, isDiskFull } from "../disk.mjs";
import { PlainError } from "../plain-error.mjs";
import { ROOT, setting } from "../runtime.mjs";

/** Relative to the project, not to where the command was typed: one project has one data folder. */
export const dataFolderPath = () => path.resolve(ROOT, setting("KIMITSU_DATA", ".kimitsu"));

export function ensureDataFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Only its owner may read it. The group may still traverse it: that is how the database's own user, which a start
    // by root needs, gets to its files.
    const { mode } = statSync(folder);
    if (mode & 0o067) chmodSync(folder, mode & 0o710);
  } catch (error) {
    throw unusable(folder, error);
  }
  return folder;
}

/** Reads the secrets, or makes them. Two processes that start at once get the same ones. */
export function ensureSecrets(folder) {
  const file = path.join(folder, "secrets.json");
  const found = readSecrets(folder);
  if (found) return found;
  const secrets = {
    authSecret: randomBytes(48).toString("base64url"),
    databaseRootPassword: randomBytes(24).toString("base64url"),
    databasePassword: randomBytes(24).toString("base64url"),
  };
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
    // A link fails when the name is taken, where a rename would replace the secrets another process is already using.
    linkSync(draft, file);
  } catch (error) {
    if (error.code === "EPERM" || error.code === "ENOTSUP") renameSync(draft, file);
    else if (error.code !== "EEXIST") throw unusable(folder, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecrets(folder);
}

/** The stored secrets, or null when there are none yet. */
export function readSecrets(folder) {
  const file = path.join(folder, "secrets.json");
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw unusable(folder, error);
  }
  const secrets = parse(text);
  const complete = ["authSecret", "databaseRootPassword", "databasePassword"].every(
    (name) => typeof secrets?.[name] === "string" && secrets[name].length >= 32,
  );
  if (complete) return secrets;
  throw new PlainError(
    `${file} is damaged: it must hold authSecret, databaseRootPassword and databasePassword, each with at least 32 characters.\n` +
      "Restore it from a backup. Without it the stored database cannot be opened; to begin anew instead, move the whole folder away.",
  );
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unusable(folder, error) {
  if (isDiskFull(`${error.code}`)) return diskFullError(folder, error);
  return new PlainError(
    `The data folder ${folder} cannot be used: ${error.message}\n` +
      "Give it to the user who starts Kimitsu, or set KIMITSU_DATA to a folder that this user may write.",
    { cause: error },
  );
}
