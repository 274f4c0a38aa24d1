import { statfs } from "node:fs/promises";
import { PlainError } from "./plain-error.mjs";

/** A database that runs out of space during a write stops serving; below this it is better not to start. */
const FREE_BYTES_MIN = 200 * 1024 * 1024;

const megabytes = (bytes) => `${Math.floor(bytes / (1024 * 1024))} MB`;

export const isDiskFull = (text) => /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i.test(text);

export function diskFullError(folder, cause) {
  return new PlainError(
    `The disk that holds ${folder} is full.\n` +
      `Free at least ${megabytes(FREE_BYTES_MIN)} there and start again. Nothing that was stored is lost.`,
    { cause },
  );
}

/** Refuses to start when the file system of `folder` is nearly full. `freeBytes` is passed by tests only. */
export async function requireDiskSpace(folder, freeBytes) {
  const stats = freeBytes === undefined ? await statfs(folder) : undefined;
  const free = freeBytes ?? stats.bavail * stats.bsize;
  if (free >= FREE_BYTES_MIN) return;
  throw new PlainError(
    `Only ${megabytes(free)} are free on the disk that holds ${folder}; the database needs at least ${megabytes(FREE_BYTES_MIN)}.\n` +
      "Free some space, or set KIMITSU_DATA to a folder on another disk, and start again.",
  );
}
