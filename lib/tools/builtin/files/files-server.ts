/** `kimitsu/files`: reads and changes files in one folder. No path leads out of it, whatever links are in it. */
import { existsSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { FILES } from "@/lib/config/builtin/files";
import { KimitsuError } from "@/lib/errors";
import { offerTool, refuse, type ToolUse } from "@/lib/tools/builtin/builtin-tool";
import { LIST_ENTRIES_MAX, LIST_NAMES_MAX } from "@/lib/tools/builtin/limits";
import { type Base, type FilesDeployment as Deployment, openBase } from "./base";
import * as tools from "./files-tools";
import { show, toParts } from "./path-parts";
import { readBytes, sha256, toText, typeOf, withFile } from "./read";
import { searchFiles } from "./search";
import { find, type Folder, startWalk, type Walk, withFolder, withFolderMade } from "./walk";
import { deleteFile, type KeepReplaced, moveEntry, type Place, writeFile } from "./write";

export interface FilesDeployment extends Deployment {
  /** Told of every change before it is made, with what it replaces. */
  keepReplaced?: KeepReplaced;
}

export async function openFilesServer(
  params: z.output<typeof FILES.params>,
  deployment: FilesDeployment,
): Promise<McpServer> {
  if (!existsSync("/proc/self/fd"))
    throw new KimitsuError(
      "config_invalid",
      "kimitsu/files needs Linux with /proc, which is how it is safe from links.",
    );
  const base = await openBase(params, deployment);
  const server = new McpServer({ name: "kimitsu-files", version: "1.0.0" });
  const bytesMax = params.max_file_bytes;
  offerReading(server, base, bytesMax);
  offerLooking(server, base, bytesMax);
  offerChanging(server, base, { bytesMax, keep: deployment.keepReplaced ?? (async () => {}) });
  return server;
}

/** Gives the folder that holds a name, and the name; the base itself has none. */
async function withPlace<T>(walk: Walk, path: string, work: (place: Place) => Promise<T>): Promise<T> {
  const { parts, name } = splitPath(walk, path);
  return withFolder(walk, parts, (folder) => work({ folder, name }));
}

async function withPlaceMade<T>(walk: Walk, path: string, work: (place: Place) => Promise<T>): Promise<T> {
  const { parts, name } = splitPath(walk, path);
  return withFolderMade(walk, parts, (folder) => work({ folder, name }));
}

function splitPath({ base }: Walk, path: string): { parts: string[]; name: string } {
  const parts = toParts(path, base.spellings);
  const name = parts.pop();
  if (name === undefined) return refuse("The path names the allowed folder itself; name something in it.");
  return { parts, name };
}

function offerReading(server: McpServer, base: Base, bytesMax: number): void {
  offerTool(server, tools.readFile, async ({ path, encoding, offset, length }) =>
    withPlace(await startWalk(base), path, ({ folder, name }) =>
      withFile(folder, name, async (file, { size }) => {
        const bytes = await readBytes(file, offset, Math.min(length ?? bytesMax, bytesMax));
        const isWhole = offset === 0 && BigInt(bytes.length) >= size;
        const read =
          encoding === "base64" ? { text: bytes.toString("base64"), length: bytes.length } : toText(bytes, !isWhole);
        if (!read) refuse(`${show(path)} is not UTF-8 text; read it with encoding "base64".`);
        const end = offset + read.length;
        const next = BigInt(end) < size ? end : null;
        const hash = isWhole ? sha256(bytes) : null;
        const data = { path, content: read.text, encoding, size_bytes: Number(size), sha256: hash, next_offset: next };
        return { data, text: read.text };
      }),
    ),
  );
  offerTool(server, tools.fileExists, async ({ path }) => {
    const type = await findType(await startWalk(base), path);
    return { data: { path, exists: type !== null, type }, text: String(type !== null) };
  });
}

/** Null when nothing is there, or its folder is not. What must not be reached is still refused. */
async function findType(walk: Walk, path: string): Promise<ReturnType<typeof typeOf> | null> {
  const parts = toParts(path, walk.base.spellings);
  let type: ReturnType<typeof typeOf> | null = "directory";
  for (let depth = 0; depth < parts.length && type === "directory"; depth += 1) {
    const name = parts[depth]!;
    const stats = await withFolder(walk, parts.slice(0, depth), (folder) => find(folder, name));
    type = stats && typeOf(stats);
    if (type !== "directory" && depth < parts.length - 1) return null;
  }
  return type;
}

function offerLooking(server: McpServer, base: Base, bytesMax: number): void {
  offerTool(server, tools.listDirectory, async ({ path }) => {
    const walk = await startWalk(base);
    return withFolder(walk, toFolderParts(path, base), async (folder) => ({ data: await listFolder(folder, path) }));
  });
  offerTool(server, tools.search, async ({ path, pattern, content, ignore_case: isCaseIgnored }, { signal }) => {
    const walk = await startWalk(base);
    return withFolder(walk, toFolderParts(path, base), async (folder) => ({
      data: await searchFiles(folder, { pattern, content, isCaseIgnored, fileBytesMax: bytesMax, signal }),
    }));
  });
}

/** Of a folder a slash at the end is no other name. */
const toFolderParts = (path: string, base: Base): string[] =>
  toParts(path.length > 1 ? path.replace(/\/$/, "") : path, base.spellings);

async function listFolder(folder: Folder, path: string): Promise<z.output<typeof tools.listDirectory.output>> {
  const names: string[] = [];
  let truncated = false;
  for await (const { name } of await opendir(`/proc/self/fd/${folder.handle.fd}`)) {
    truncated = names.length >= LIST_NAMES_MAX;
    if (truncated) break;
    names.push(name);
  }
  const shown = names.sort().slice(0, LIST_ENTRIES_MAX);
  const entries = [];
  for (const name of shown) {
    const stats = await find(folder, name);
    if (!stats) continue;
    const type = typeOf(stats);
    const modified = new Date(Number(stats.mtimeMs)).toISOString();
    entries.push({ name, type, size_bytes: type === "file" ? Number(stats.size) : null, modified_at: modified });
  }
  return { path, entries, truncated: truncated || names.length > shown.length };
}

function offerChanging(
  server: McpServer,
  base: Base,
  { bytesMax, keep }: { bytesMax: number; keep: KeepReplaced },
): void {
  const write = async (
    { path, content, encoding }: { path: string; content: string; encoding: "utf8" | "base64" },
    { isNew, expected }: { isNew: boolean; expected: string | undefined },
    { callId }: ToolUse,
  ) => {
    const bytes = Buffer.from(content, encoding);
    if (encoding === "base64" && bytes.toString("base64").replace(/=+$/, "") !== content.replace(/=+$/, ""))
      refuse("The content is not base64.");
    if (bytes.length > bytesMax) refuse(`The content has ${bytes.length} bytes; at most ${bytesMax} are written.`);
    const request = { content: bytes, isNew, expected, bytesMax, callId, keep };
    const walk = await startWalk(base);
    const { replaced } = await withPlaceMade(walk, path, (place) => writeFile(place, request));
    const data = { path, size_bytes: bytes.length, sha256: sha256(bytes), replaced };
    return { data, text: `${replaced ? "Replaced" : "Created"} ${path}, ${bytes.length} bytes.` };
  };
  offerTool(server, tools.writeFile, (input, use) =>
    write(input, { isNew: false, expected: input.expected_sha256 }, use),
  );
  offerTool(server, tools.create, (input, use) => write(input, { isNew: true, expected: undefined }, use));
  offerTool(server, tools.deleteFile, async ({ path }, { callId }) => {
    await withPlace(await startWalk(base), path, (place) => deleteFile(place, { bytesMax, callId, keep }));
    return { data: { path, deleted: true }, text: `Deleted ${path}.` };
  });
  offerTool(server, tools.move, async ({ from, to }, { callId }) => {
    const walk = await startWalk(base);
    await withPlace(walk, from, (source) =>
      withPlace(walk, to, (target) => moveEntry(source, target, { callId, keep })),
    );
    return { data: { from, to, moved: true }, text: `Moved ${from} to ${to}.` };
  });
}
