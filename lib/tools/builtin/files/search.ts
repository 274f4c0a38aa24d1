/** Looks for files by name and content, below one folder, within limits of depth, number, size and time. */
import { opendir } from "node:fs/promises";
import {
  PATH_DEPTH_MAX,
  SEARCH_BYTES_MAX,
  SEARCH_ENTRIES_MAX,
  SEARCH_LINE_MAX,
  SEARCH_MATCHES_MAX,
} from "@/lib/tools/builtin/limits";
import { KimitsuError } from "@/lib/errors";
import { matchesGlob } from "./glob";
import { readBytes, toText, withFile } from "./read";
import { enter, type Folder } from "./walk";

export interface Match {
  path: string;
  line: number | null;
  text: string | null;
}

export interface Found {
  matches: Match[];
  /** Why not everything was looked at; null when it was. */
  stopped_because: string | null;
}

interface Request {
  pattern: string;
  content: string | undefined;
  isCaseIgnored: boolean;
  fileBytesMax: number;
  signal: AbortSignal;
}

export async function searchFiles(start: Folder, request: Request): Promise<Found> {
  const search = new Search(request, start.parts.length);
  await search.look(start);
  return { matches: search.matches, stopped_because: search.stopped };
}

class Search {
  readonly matches: Match[] = [];
  stopped: string | null = null;
  #entries = 0;
  #bytes = 0;
  readonly #pattern: string[];
  readonly #content: string | undefined;

  constructor(
    private readonly request: Request,
    private readonly depth: number,
  ) {
    this.#pattern = request.pattern.split("/");
    this.#content = request.isCaseIgnored ? request.content?.toLowerCase() : request.content;
  }

  async look(folder: Folder): Promise<void> {
    const names: { name: string; isFolder: boolean; isFile: boolean }[] = [];
    for await (const entry of await opendir(`/proc/self/fd/${folder.handle.fd}`)) {
      this.request.signal.throwIfAborted();
      this.#entries += 1;
      if (this.#entries > SEARCH_ENTRIES_MAX) this.stopped ??= `more than ${SEARCH_ENTRIES_MAX} files and folders`;
      if (this.stopped) break;
      names.push({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() });
    }
    for (const { name, isFolder, isFile } of names.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      if (this.stopped) return;
      if (isFile) await this.#lookAtFile(folder, name);
      else if (isFolder) await this.#lookInside(folder, name);
    }
  }

  async #lookInside(folder: Folder, name: string): Promise<void> {
    if (folder.parts.length >= PATH_DEPTH_MAX) return void (this.stopped = `folders deeper than ${PATH_DEPTH_MAX}`);
    // What may not be entered, or is a link by now, is passed over.
    const inner = await enter(folder, name).catch(ignoreRefusal);
    if (!inner) return;
    try {
      await this.look(inner);
    } finally {
      await inner.handle.close();
    }
  }

  async #lookAtFile(folder: Folder, name: string): Promise<void> {
    const parts = [...folder.parts, name];
    if (!matchesGlob(this.#pattern, parts.slice(this.depth))) return;
    if (this.#content === undefined) return this.#add({ path: parts.join("/"), line: null, text: null });
    const text = await this.#read(folder, name).catch(ignoreRefusal);
    const lines = text?.split("\n") ?? [];
    for (const [index, line] of lines.entries()) {
      const at = (this.request.isCaseIgnored ? line.toLowerCase() : line).indexOf(this.#content);
      if (at < 0) continue;
      this.#add({ path: parts.join("/"), line: index + 1, text: excerpt(line, at) });
      if (this.stopped) return;
    }
  }

  /** Null for what is too large or not text. */
  async #read(folder: Folder, name: string): Promise<string | null> {
    return withFile(folder, name, async (file, { size }) => {
      if (size > BigInt(this.request.fileBytesMax)) return null;
      this.#bytes += Number(size);
      if (this.#bytes > SEARCH_BYTES_MAX) this.stopped = `more than ${SEARCH_BYTES_MAX} bytes`;
      const bytes = await readBytes(file, 0, Number(size));
      return bytes.includes(0) ? null : (toText(bytes, false)?.text ?? null);
    });
  }

  #add(match: Match): void {
    if (this.matches.length >= SEARCH_MATCHES_MAX) this.stopped = `more than ${SEARCH_MATCHES_MAX} matches`;
    else this.matches.push(match);
  }
}

function ignoreRefusal(error: unknown): null {
  const { code } = error as { code?: string };
  if (error instanceof KimitsuError || code === "ENOENT" || code === "EACCES" || code === "EPERM") return null;
  throw error;
}

function excerpt(line: string, at: number): string {
  if (line.length <= SEARCH_LINE_MAX) return line;
  const start = Math.max(0, at - SEARCH_LINE_MAX / 4);
  return line.slice(start, start + SEARCH_LINE_MAX).toWellFormed();
}
