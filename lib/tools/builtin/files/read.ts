/** Reads regular files, and nothing else: no link, device, pipe or socket is ever opened. */
import { createHash } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { show } from "./path-parts";
import { find, type Folder } from "./walk";

// Without O_NONBLOCK a pipe that took the place of the file would block this process.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export type EntryType = "file" | "directory" | "link" | "other";

export function typeOf(stats: Pick<BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink">): EntryType {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}

const WORDS: Record<EntryType, string> = {
  file: "a file",
  directory: "a folder",
  link: "a link, and links are not followed",
  other: "a device, pipe or socket",
};

/** Throws unless it is a regular file. */
export function requireFile(stats: BigIntStats | null, shown: string): asserts stats is BigIntStats {
  if (stats === null) refuse(`There is no file ${shown}.`);
  if (!stats.isFile()) refuse(`${shown} is ${WORDS[typeOf(stats)]}, not a file.`);
}

/** Opens it for the duration of `work`. What was found and what was opened are both looked at, as they may differ. */
export async function withFile<T>(
  folder: Folder,
  name: string,
  work: (file: FileHandle, stats: BigIntStats) => Promise<T>,
): Promise<T> {
  const shown = show([...folder.parts, name].join("/"));
  requireFile(await find(folder, name), shown);
  const file = await open(folder.at(name), READ).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ELOOP") refuse(`${shown} is a link, and links are not followed.`);
    if (error.code === "EACCES" || error.code === "EPERM") refuse(`${shown} may not be read by this process.`);
    throw error;
  });
  try {
    const stats = await file.stat({ bigint: true });
    requireFile(stats, shown);
    return await work(file, stats);
  } finally {
    await file.close();
  }
}

/** At most this many bytes from an offset. */
export async function readBytes(file: FileHandle, offset: number, lengthMax: number): Promise<Buffer> {
  const buffer = Buffer.alloc(lengthMax);
  let length = 0;
  while (length < lengthMax) {
    const { bytesRead } = await file.read(buffer, length, lengthMax - length, offset + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

export const sha256 = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Text up to the last whole character; null when it is not UTF-8. */
export function toText(bytes: Buffer, isCut: boolean): { text: string; length: number } | null {
  for (let cut = 0; cut <= (isCut ? 3 : 0) && cut <= bytes.length; cut += 1) {
    const whole = bytes.subarray(0, bytes.length - cut);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole), length: whole.length };
    } catch {
      continue;
    }
  }
  return null;
}
