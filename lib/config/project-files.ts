/** Finds and reads the files of a project folder, never anything outside of it. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync, type Dirent } from "node:fs";
import path from "node:path";
import { findNearest, type Problem } from "./problem";
import { FILE_SIZE_BYTES_MAX } from "./yaml-source";

export type FileKind =
  | "workflow"
  | "agent"
  | "server"
  | "servers"
  | "gateway"
  | "policy"
  | "environment"
  | "profile"
  | "script"
  | "lock";

export interface ProjectFile {
  /** Relative to the project folder, with forward slashes. */
  file: string;
  kind: FileKind;
}

/** A limit so that a mistaken project folder (a home directory, say) ends in a message and not in a long wait. */
const FILES_MAX = 10_000;
const FOLDER_DEPTH_MAX = 8;

const ROOT_FILES: Record<string, FileKind> = {
  "gateway.yaml": "gateway",
  "servers.yaml": "servers",
  "policy.yaml": "policy",
  "tools.lock.yaml": "lock",
};

const FOLDERS: Record<string, { kind: FileKind; suffix: string }> = {
  workflows: { kind: "workflow", suffix: ".workflow.yaml" },
  agents: { kind: "agent", suffix: ".agent.yaml" },
  servers: { kind: "server", suffix: ".server.yaml" },
  environments: { kind: "environment", suffix: ".env.yaml" },
  profiles: { kind: "profile", suffix: ".profile.yaml" },
  models: { kind: "script", suffix: ".script.yaml" },
};

/** Folders that only a later version reads. Authors would believe that files in them apply, and they do not. */
const UNSUPPORTED = ["directives"];

export interface Listing {
  files: ProjectFile[];
  problems: Problem[];
  /** What this version does not read although it is part of a project. */
  unsupported: Problem[];
}

/** Lists the files of every kind in a stable order. Warns about what looks like a definition but would not be read. */
export function listProjectFiles(root: string): Listing {
  const listing: Listing = { files: [], problems: [], unsupported: [] };
  const entries = readFolder(root, "", listing);
  for (const entry of entries) {
    const kind = ROOT_FILES[entry.name];
    if (kind !== undefined) addFile(root, entry.name, kind, listing);
    else if (entry.isDirectory() && FOLDERS[entry.name] !== undefined)
      walkFolder(root, entry.name, FOLDERS[entry.name]!, 1, listing);
    else if (entry.isDirectory() && UNSUPPORTED.includes(entry.name)) refuseFolder(root, entry.name, 1, listing);
    else warnAboutMisplaced(listing, entry);
  }
  if (listing.files.length === 0 && listing.unsupported.length === 0) {
    listing.problems.push(
      fileProblem(
        "",
        `${root} holds no project`,
        "write workflows/NAME.workflow.yaml in it, or set KIMITSU_PROJECT to the folder of a project",
      ),
    );
  }
  return listing;
}

function refuseFolder(root: string, folder: string, depth: number, listing: Listing): void {
  for (const entry of depth > FOLDER_DEPTH_MAX ? [] : readFolder(root, folder, listing)) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) refuseFolder(root, file, depth + 1, listing);
    else if (listing.unsupported.length < FILES_MAX && !/\.(md|txt)$/i.test(entry.name)) {
      listing.unsupported.push(
        fileProblem(
          file,
          `${folder.split("/", 1)[0]} are not supported by this version`,
          "remove the file, or keep it outside of the project folder",
        ),
      );
    }
  }
}

/** Other files beside the known ones are ignored, unless they look like one of them. */
function warnAboutMisplaced(listing: Listing, entry: Dirent): void {
  if (entry.isDirectory()) {
    const nearest = findNearest(entry.name, Object.keys(FOLDERS));
    if (nearest !== undefined) warn(listing, entry.name, "this folder is not read", `did you mean "${nearest}"?`);
    return;
  }
  const folder = Object.entries(FOLDERS).find(([, { suffix }]) => entry.name.endsWith(suffix))?.[0];
  if (folder !== undefined) warn(listing, entry.name, "this file is not read", `move it to ${folder}/`);
  else if (/^(gateway|servers|policy)\.(yml|json)$/.test(entry.name))
    warn(listing, entry.name, "this file is not read", `name it "${entry.name.replace(/\.\w+$/, ".yaml")}"`);
}

function walkFolder(
  root: string,
  folder: string,
  rule: { kind: FileKind; suffix: string },
  depth: number,
  listing: Listing,
): void {
  if (depth > FOLDER_DEPTH_MAX)
    return warn(listing, folder, "folders below this one are not read", `at most ${FOLDER_DEPTH_MAX} levels are`);
  for (const entry of readFolder(root, folder, listing)) {
    const file = `${folder}/${entry.name}`;
    if (listing.files.length >= FILES_MAX) return;
    if (entry.isDirectory()) walkFolder(root, file, rule, depth + 1, listing);
    else if (entry.name.endsWith(rule.suffix)) addFile(root, file, rule.kind, listing);
    else if (/\.(md|txt|lock)$/i.test(entry.name)) continue;
    else if (entry.isSymbolicLink() && isFolder(root, file))
      warn(listing, file, "a linked folder is not read", "put the files here, or link them one by one");
    else warn(listing, file, "this file is not read", `files here are named *${rule.suffix}`);
  }
}

function readFolder(root: string, folder: string, listing: Listing): Dirent[] {
  try {
    const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
    return entries.filter((entry) => !entry.name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (folder === "") throw error;
    listing.problems.push(fileProblem(folder, `the folder cannot be read (${(error as NodeJS.ErrnoException).code})`));
    return [];
  }
}

function addFile(root: string, file: string, kind: FileKind, listing: Listing): void {
  if (listing.files.length === FILES_MAX - 1) {
    listing.problems.push(
      fileProblem(
        file,
        `more than ${FILES_MAX} files in the project; the rest is not read`,
        "is this the right folder?",
      ),
    );
  }
  listing.files.push({ file, kind });
}

function isFolder(root: string, file: string): boolean {
  try {
    readdirSync(path.join(root, file));
    return true;
  } catch {
    return false;
  }
}

function warn(listing: Listing, file: string, message: string, hint: string): void {
  listing.problems.push({ ...fileProblem(file, message, hint), severity: "warning" });
}

export function fileProblem(file: string, message: string, hint?: string): Problem {
  return { file, line: 1, column: 1, path: "", message, hint, severity: "error" };
}

/** The text of one file, or the reason why it is not read. A link that leads out of the project is refused. */
export function readProjectFile(root: string, file: string): { text: string } | { problem: Problem } {
  let descriptor: number | undefined;
  try {
    const real = realpathSync(path.join(root, file));
    if (!isInside(realpathSync(root), real)) {
      return {
        problem: fileProblem(file, "the file is a link that leads out of the project", "put the file itself here"),
      };
    }
    // Without O_NONBLOCK a named pipe would block the process until someone writes to it.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { problem: fileProblem(file, "not a regular file") };
    if (stats.size > FILE_SIZE_BYTES_MAX) {
      const sizes = `${Math.ceil(stats.size / 1024)} KB; at most ${FILE_SIZE_BYTES_MAX / 1024} KB are read`;
      return {
        problem: fileProblem(file, `the file is too large: ${sizes}`, "split it, or move long texts out of it"),
      };
    }
    return decode(file, readAtMost(descriptor, FILE_SIZE_BYTES_MAX));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return {
      problem: fileProblem(
        file,
        code === "ENOENT" ? "the file is a link to nothing" : `the file cannot be read (${code})`,
      ),
    };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAtMost(descriptor: number, sizeBytesMax: number): Buffer {
  const buffer = Buffer.alloc(sizeBytesMax);
  let length = 0;
  while (length < sizeBytesMax) {
    const read = readSync(descriptor, buffer, length, sizeBytesMax - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

function decode(file: string, bytes: Buffer): { text: string } | { problem: Problem } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const before = new TextDecoder("utf-8").decode(bytes).split("\uFFFD")[0] ?? "";
    const line = before.split("\n").length;
    return { problem: { ...fileProblem(file, "the file is not UTF-8 text", "save it as UTF-8"), line } };
  }
}

/** True when `candidate` is `folder` or lies below it. Both must be absolute. */
export function isInside(folder: string, candidate: string): boolean {
  const relative = path.relative(folder, candidate);
  return relative === "" || (!relative.startsWith(`..${path.sep}`) && relative !== ".." && !path.isAbsolute(relative));
}
