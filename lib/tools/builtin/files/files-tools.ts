/** The tools of `kimitsu/files`: what they take and give. What may be lost by them is in lib/config/builtin/files.ts. */
import { z } from "zod";
import { PATH_LENGTH_MAX } from "@/lib/tools/builtin/limits";

const path = z
  .string()
  .max(PATH_LENGTH_MAX)
  .describe('From the allowed folder, such as "reports/may.txt", or absolute and in it');
const encoding = z.enum(["utf8", "base64"]).default("utf8").describe("`base64` for files that are not text");
const type = z.enum(["file", "directory", "link", "other"]);
const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const READS = { readOnlyHint: true, openWorldHint: false };
/** Overwriting is not additive, so `destructiveHint` is not denied; declaring it would make each write critical. */
const WRITES = { readOnlyHint: false, openWorldHint: false };

export const readFile = {
  name: "read_file",
  title: "Read a file",
  description: "Reads a file, whole or in part.",
  annotations: READS,
  input: z.strictObject({
    path,
    encoding,
    offset: z.int().min(0).default(0).describe("First byte"),
    length: z.int().min(1).optional().describe("Most bytes; the server's limit if absent"),
  }),
  output: z.strictObject({
    path: z.string(),
    content: z.string(),
    encoding: z.enum(["utf8", "base64"]),
    size_bytes: z.int(),
    sha256: z.string().nullable().describe("Of the whole file; null when only a part was read"),
    next_offset: z.int().nullable().describe("Where the rest begins; null at the end"),
  }),
};

export const fileExists = {
  name: "file_exists",
  title: "Ask whether a file is there",
  description: "Says whether something is at a path, and what.",
  annotations: READS,
  input: z.strictObject({ path }),
  output: z.strictObject({ path: z.string(), exists: z.boolean(), type: type.nullable() }),
};

export const listDirectory = {
  name: "list_directory",
  title: "List a folder",
  description: "Lists what is in a folder, by name.",
  annotations: READS,
  input: z.strictObject({ path: path.default(".") }),
  output: z.strictObject({
    path: z.string(),
    entries: z.array(
      z.strictObject({ name: z.string(), type, size_bytes: z.int().nullable(), modified_at: z.string() }),
    ),
    truncated: z.boolean().describe("True: there are more than are listed"),
  }),
};

export const search = {
  name: "search",
  title: "Search files",
  description: "Finds files by name and, if given, lines by the text in them.",
  annotations: READS,
  input: z.strictObject({
    path: path.default(".").describe("Folder to search"),
    pattern: z
      .string()
      .min(1)
      .max(500)
      .default("**")
      .describe("Path below the folder; `*` and `?` within a name, `**` for any folders, such as `**/*.md`"),
    content: z.string().min(1).max(500).optional().describe("Text that a line must contain"),
    ignore_case: z.boolean().default(false).describe("For `content`"),
  }),
  output: z.strictObject({
    matches: z.array(z.strictObject({ path: z.string(), line: z.int().nullable(), text: z.string().nullable() })),
    stopped_because: z.string().nullable().describe("Why not everything was looked at; null when it was"),
  }),
};

const content = z.string().describe("The whole content");
const written = z.strictObject({ path: z.string(), size_bytes: z.int(), sha256: hash, replaced: z.boolean() });

export const writeFile = {
  name: "write_file",
  title: "Write a file",
  description: "Writes a whole file, in place of one that is there. Missing folders are made.",
  annotations: WRITES,
  input: z.strictObject({
    path,
    content,
    encoding,
    expected_sha256: hash.optional().describe("From read_file: refuses to replace a file that has changed since"),
  }),
  output: written,
};

export const create = {
  name: "create",
  title: "Create a file",
  description: "Writes a file that is not there yet. Missing folders are made.",
  annotations: { ...WRITES, destructiveHint: false },
  input: z.strictObject({ path, content, encoding }),
  output: written,
};

export const deleteFile = {
  name: "delete_file",
  title: "Delete a file",
  description: "Deletes one file.",
  annotations: WRITES,
  input: z.strictObject({ path }),
  output: z.strictObject({ path: z.string(), deleted: z.boolean() }),
};

export const move = {
  name: "move",
  title: "Move a file or folder",
  description: "Moves or renames a file or folder. Nothing is replaced: the new place must be free.",
  annotations: { ...WRITES, destructiveHint: false },
  input: z.strictObject({ from: path, to: path }),
  output: z.strictObject({ from: z.string(), to: z.string(), moved: z.boolean() }),
};
