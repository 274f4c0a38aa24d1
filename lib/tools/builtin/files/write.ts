/**
 * Changes files. A write is complete or did not happen: the new content goes to a file beside the old one, onto the disk,
 * and then takes its name. What a change replaces is handed over before it is gone.
 */
import { randomBytes } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { link, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { show } from "./path-parts";
import { readBytes, requireFile, sha256, withFile } from "./read";
import { find, type Folder, requireHoldsNothingProtected, requireWritable } from "./walk";

/** What is about to be replaced or removed. */
export interface Replaced {
  operation: "write_file" | "create" | "delete_file" | "move";
  /** From the base. */
  path: string;
  /** For a move: where it goes. */
  to: string | null;
  /** Null where there was nothing, and for a move, which keeps the content. */
  previous: Buffer | null;
  /** Of the previous file. */
  mode: number | null;
  /** Of what will be there; null where nothing will be. */
  next: Buffer | null;
  callId: string | null;
}

/** Called before each change; when it throws, the change does not happen. */
export type KeepReplaced = (change: Replaced) => Promise<void>;

export interface Place {
  folder: Folder;
  name: string;
}

const pathOf = ({ folder, name }: Place): string => [...folder.parts, name].join("/");

/** The content and mode of a file that is about to go, or null. One that is too large to keep may not be replaced. */
async function readPrevious(
  place: Place,
  bytesMax: number,
): Promise<{ bytes: Buffer; mode: number; stats: BigIntStats }> {
  return withFile(place.folder, place.name, async (file, stats) => {
    if (stats.size > BigInt(bytesMax))
      refuse(`${show(pathOf(place))} has ${stats.size} bytes; at most ${bytesMax} can be changed.`);
    return { bytes: await readBytes(file, 0, Number(stats.size)), mode: Number(stats.mode) & 0o777, stats };
  });
}

export interface WriteRequest {
  content: Buffer;
  /** True: there must be nothing yet. */
  isNew: boolean;
  /** The hash of what the caller believes is there. */
  expected: string | undefined;
  bytesMax: number;
  callId: string | null;
  keep: KeepReplaced;
}

export async function writeFile(place: Place, request: WriteRequest): Promise<{ replaced: boolean }> {
  const { folder, name } = place;
  const shown = show(pathOf(place));
  const found = await find(folder, name);
  requireWritable(folder, name, found);
  if (found) requireFile(found, shown);
  if (found && request.isNew) refuse(`${shown} is there already; write_file replaces it.`);
  const previous = found ? await readPrevious(place, request.bytesMax) : null;
  if (request.expected !== undefined && (previous ? sha256(previous.bytes) : null) !== request.expected)
    refuse(`${shown} is not the file that was read: it has changed since. Read it again.`);
  await request.keep({
    operation: request.isNew ? "create" : "write_file",
    path: pathOf(place),
    to: null,
    previous: previous?.bytes ?? null,
    mode: previous?.mode ?? null,
    next: request.content,
    callId: request.callId,
  });
  const part = `.kimitsu-${randomBytes(8).toString("hex")}.part`;
  try {
    await writePart(folder, part, { content: request.content, like: previous });
    if (previous) await rename(folder.at(part), folder.at(name));
    else await linkNew(folder, part, name);
    await folder.handle.sync();
  } finally {
    await unlink(folder.at(part)).catch(() => {});
  }
  return { replaced: previous !== null };
}

async function writePart(
  folder: Folder,
  part: string,
  { content, like }: { content: Buffer; like: { mode: number; stats: BigIntStats } | null },
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(folder.at(part), flags, 0o666);
  try {
    await file.writeFile(content);
    if (like) await keepOwnerAndMode(file, like);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Only root can give a file away; for everybody else the new file belongs to this process, as its folder allows. */
async function keepOwnerAndMode(
  file: FileHandle,
  { mode, stats }: { mode: number; stats: BigIntStats },
): Promise<void> {
  await file.chown(Number(stats.uid), Number(stats.gid)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPERM") throw error;
  });
  await file.chmod(mode);
}

/** A rename would replace what came there in the meantime; a link fails then. */
async function linkNew(folder: Folder, part: string, name: string): Promise<void> {
  await link(folder.at(part), folder.at(name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST")
      refuse(`${show([...folder.parts, name].join("/"))} was made by somebody else just now.`);
    throw error;
  });
}

export async function deleteFile(
  place: Place,
  { bytesMax, callId, keep }: Pick<WriteRequest, "bytesMax" | "callId" | "keep">,
): Promise<void> {
  const { folder, name } = place;
  const found = await find(folder, name);
  requireFile(found, show(pathOf(place)));
  requireWritable(folder, name, found);
  const { bytes, mode } = await readPrevious(place, bytesMax);
  await keep({ operation: "delete_file", path: pathOf(place), to: null, previous: bytes, mode, next: null, callId });
  await unlink(folder.at(name));
  await folder.handle.sync();
}

/** Never replaces anything: a target that is there is refused. */
export async function moveEntry(
  from: Place,
  to: Place,
  { callId, keep }: Pick<WriteRequest, "callId" | "keep">,
): Promise<void> {
  const found = await find(from.folder, from.name);
  const shown = show(pathOf(from));
  if (found === null) refuse(`There is no file or folder ${shown}.`);
  if (!found.isDirectory()) requireFile(found, shown);
  requireWritable(from.folder, from.name, found);
  requireHoldsNothingProtected(from.folder.walk, [...from.folder.parts, from.name]);
  const target = await find(to.folder, to.name);
  requireWritable(to.folder, to.name, target);
  if (target) refuse(`${show(pathOf(to))} is there already; delete or move it first.`);
  await keep({
    operation: "move",
    path: pathOf(from),
    to: pathOf(to),
    previous: null,
    mode: Number(found.mode) & 0o777,
    next: null,
    callId,
  });
  await moveOver(from, to, found.isDirectory());
  await Promise.all([from.folder.handle.sync(), to.folder.handle.sync()]);
}

/** A folder takes the place of an empty folder at most; a file gets a second name and then loses the first. */
async function moveOver(from: Place, to: Place, isFolder: boolean): Promise<void> {
  const [source, target] = [from.folder.at(from.name), to.folder.at(to.name)];
  try {
    if (isFolder) return await rename(source, target);
    await link(source, target);
    await unlink(source);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTEMPTY" || code === "ENOTDIR")
      refuse(`${show(pathOf(to))} was made by somebody else just now.`);
    if (code === "EXDEV") refuse("The two places are on different disks; write the file there and delete it here.");
    if (code === "EINVAL") refuse("A folder cannot be moved into itself.");
    throw error;
  }
}
