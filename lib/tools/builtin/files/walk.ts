/**
 * Opens folders below the base one name at a time, each relative to the one before and never through a link, so that
 * nobody can lead a call out of the base by exchanging a folder for a link while it runs. Node has no `openat`; a name
 * below `/proc/self/fd/N` is resolved by the kernel from the open folder, which is the same.
 */
import { constants, type BigIntStats } from "node:fs";
import { lstat, mkdir, open, statfs, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { type Base, identify, identityOf, isIn } from "./base";
import { show } from "./path-parts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** File systems in which files are switches of the kernel: proc, sysfs, cgroup, devpts, debugfs, tracefs, and the like. */
const KERNEL_FILE_SYSTEMS = new Set([
  0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x1cd1, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11, 0x62656570,
  0x6e736673, 0x50494446, 0x19800202, 0xde5e81e4, 0x6165676c,
]);

/** An open folder below the base. */
export interface Folder {
  walk: Walk;
  handle: FileHandle;
  /** From the base. */
  parts: readonly string[];
  /** True when something that must not be changed begins here or above. */
  isReadOnly: boolean;
  /** The way to a name in it. */
  at(name: string): string;
}

export interface Walk {
  base: Base;
  readOnly: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
}

/** What is protected is looked up for each call, since files come and go. */
export async function startWalk(base: Base): Promise<Walk> {
  return { base, readOnly: await identify(base.readOnly), hidden: await identify(base.hidden) };
}

/** Gives the folder for the duration of `work`. */
export const withFolder = <T>(walk: Walk, parts: readonly string[], work: (folder: Folder) => Promise<T>) =>
  descend(walk, { parts, isMaking: false }, work);

/** The same, and folders on the way that are not there are made. */
export const withFolderMade = <T>(walk: Walk, parts: readonly string[], work: (folder: Folder) => Promise<T>) =>
  descend(walk, { parts, isMaking: true }, work);

async function descend<T>(
  walk: Walk,
  { parts, isMaking }: { parts: readonly string[]; isMaking: boolean },
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  const handle = await open(walk.base.real, FOLDER);
  let folder = await toFolder({ walk, parts: [], handle, isReadOnly: false });
  try {
    for (const name of parts) {
      if (isMaking) await makeFolder(folder, name);
      const next = await enter(folder, name);
      await folder.handle.close();
      folder = next;
    }
    return await work(folder);
  } finally {
    await folder.handle.close();
  }
}

async function makeFolder(folder: Folder, name: string): Promise<void> {
  const stats = await find(folder, name);
  if (stats !== null) return;
  requireWritable(folder, name, stats);
  await mkdir(folder.at(name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Opens a folder in an open folder. Throws for a link, whatever it leads to. */
export async function enter(folder: Folder, name: string): Promise<Folder> {
  const parts = [...folder.parts, name];
  const handle = await open(folder.at(name), FOLDER).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") refuse(`There is no folder ${show(parts.join("/"))}.`);
    if (error.code === "ENOTDIR" || error.code === "ELOOP")
      refuse(`${show(parts.join("/"))} is a link or not a folder; links are not followed.`);
    throw error;
  });
  return toFolder({ ...folder, parts, handle });
}

async function toFolder({ walk, parts, handle, isReadOnly }: Omit<Folder, "at">): Promise<Folder> {
  try {
    const identity = identityOf(await handle.stat({ bigint: true }));
    if (walk.hidden.has(identity)) refuseAccess(parts);
    refuseHidden(walk, parts);
    const { type } = await statfs(`/proc/self/fd/${handle.fd}`);
    if (KERNEL_FILE_SYSTEMS.has(Number(type))) refuse(`${show(parts.join("/"))} belongs to the system.`);
    const isNowReadOnly = isReadOnly || walk.readOnly.has(identity) || isUnder(walk.base, parts, walk.base.readOnly);
    return { walk, handle, parts, isReadOnly: isNowReadOnly, at: (name) => `/proc/self/fd/${handle.fd}/${name}` };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What a name in an open folder stands for, without following it; null when there is nothing. */
export async function find(folder: Folder, name: string): Promise<BigIntStats | null> {
  return lstat(folder.at(name), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ENAMETOOLONG") return refuse("A name in the path is longer than the file system allows.");
    throw error;
  });
}

/** Throws unless the name may be written, replaced or removed; `stats` are those of what is there now. */
export function requireWritable(folder: Folder, name: string, stats: BigIntStats | null): void {
  const { walk } = folder;
  const parts = [...folder.parts, name];
  refuseHidden(walk, parts);
  if (stats && walk.hidden.has(identityOf(stats))) refuseAccess(parts);
  const isProtected =
    folder.isReadOnly ||
    isUnder(walk.base, parts, walk.base.readOnly) ||
    (stats !== null && walk.readOnly.has(identityOf(stats)));
  if (isProtected) refuseReadOnly(parts);
}

/** Throws when moving this folder would move something with it that must stay where it is. */
export function requireHoldsNothingProtected({ base }: Walk, parts: readonly string[]): void {
  const moved = path.join(base.real, ...parts);
  if ([...base.readOnly, ...base.hidden].some((each) => isIn(moved, each))) refuseReadOnly(parts);
}

const isUnder = (base: Base, parts: readonly string[], paths: readonly string[]): boolean =>
  paths.some((each) => isIn(each, path.join(base.real, ...parts)));

function refuseHidden({ base }: Walk, parts: readonly string[]): void {
  if (isUnder(base, parts, base.hidden)) refuseAccess(parts);
}

function refuseAccess(parts: readonly string[]): never {
  return refuse(`${show(parts.join("/"))} holds the secrets of this installation and cannot be reached.`);
}

function refuseReadOnly(parts: readonly string[]): never {
  return refuse(`${show(parts.join("/"))} can be read and not changed.`);
}
