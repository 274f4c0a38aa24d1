/**
 * `tools.lock.yaml`: what each tool was when an engineer last accepted it. Read and written here; interpreted
 * elsewhere.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Document, isScalar, visit } from "yaml";
import { z } from "zod";
import { KimitsuError } from "@/lib/errors";
import { formatProblem, type Problem } from "./problem";
import { readProjectFile } from "./project-files";
import { FILE_SIZE_BYTES_MAX, parseYamlSource } from "./yaml-source";
import { listZodProblems } from "./zod-problems";

export const LOCK_FILE = "tools.lock.yaml";

const hashSchema = z
  .string()
  .regex(
    /^sha256:[0-9a-f]{64}$/,
    "expected sha256: and 64 hexadecimal digits; run `kimitsu lock` instead of editing the file",
  );

const lockedToolSchema = z
  .strictObject({
    fingerprint: hashSchema.describe("Over the whole definition; this alone is compared"),
    shape: hashSchema.describe("Over the definition without its name, by which a renamed tool is recognised"),
    title: z.string().optional().describe("For readers of this file"),
    description: z
      .string()
      .optional()
      .describe("For readers of this file; invisible characters are written as their numbers"),
    annotations: z.record(z.string(), z.unknown()).optional().describe("For readers of this file"),
    arguments: z
      .record(z.string(), z.string())
      .optional()
      .describe("For readers of this file: type and description of each argument"),
  })
  .describe("One tool as it was locked");

const lockedServerSchema = z
  .strictObject({
    hash: hashSchema.describe("Over all tools of the server"),
    tools: z.record(z.string(), lockedToolSchema).describe("By name"),
  })
  .describe("The tools of one server");

export const toolsLockSchema = z
  .strictObject({
    version: z.literal(1).describe("Version of this format"),
    servers: z.record(z.string(), lockedServerSchema).describe("By the server's name"),
  })
  .describe("Definitions of tools that were reviewed; written by `kimitsu lock`");

export type LockedTool = z.infer<typeof lockedToolSchema>;
export type LockedServer = z.infer<typeof lockedServerSchema>;
export type ToolsLock = z.infer<typeof toolsLockSchema>;

const HEADER =
  " Written by `kimitsu lock`; commit it. A tool that is not here is not called, and one that has changed is asked about.\n Look at what changes here as you would look at code: these texts tell a model what to do.";

/**
 * Null when the project has none. Throws `config_invalid` for one that cannot be read: a broken lock must not count as
 * no lock.
 */
export function readToolsLock(root: string): ToolsLock | null {
  if (!existsSync(path.join(root, LOCK_FILE))) return null;
  const read = readProjectFile(root, LOCK_FILE);
  if ("problem" in read) throw refuse(root, [read.problem]);
  const source = parseYamlSource(LOCK_FILE, read.text);
  if (source.problems.length > 0) throw refuse(root, source.problems);
  const parsed = toolsLockSchema.safeParse(source.value);
  if (!parsed.success) throw refuse(root, listZodProblems(source, toolsLockSchema, parsed.error));
  return parsed.data;
}

function refuse(root: string, problems: readonly Problem[]): KimitsuError {
  const prefix = path.basename(path.resolve(root));
  return new KimitsuError(
    "config_invalid",
    `The lock of tools cannot be used:\n${problems.map((problem) => formatProblem(problem, prefix)).join("\n")}`,
  );
}

/** The same tools give the same text, whatever the order in which servers list them. */
export function formatToolsLock(lock: ToolsLock): string {
  const document = new Document(toolsLockSchema.parse(lock));
  document.commentBefore = HEADER;
  visit(document, {
    Map: (_key, node) => {
      node.items.sort((left, right) => compare(orderOf(left.key), orderOf(right.key)));
    },
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && node.value.includes("\n")) node.type = "BLOCK_LITERAL";
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Fields in the order in which they are read, names in the order of the alphabet. */
const FIELD_ORDER = [
  "version",
  "hash",
  "fingerprint",
  "shape",
  "title",
  "description",
  "annotations",
  "arguments",
  "servers",
  "tools",
];

function orderOf(key: unknown): string {
  const name = isScalar(key) ? String(key.value) : String(key);
  const position = FIELD_ORDER.indexOf(name);
  return position < 0 ? `~${name}` : `${String.fromCharCode(33 + position)}${name}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Renamed into place, so that a process that starts at this moment reads the old lock or the new one. */
export function writeToolsLock(root: string, text: string): void {
  if (Buffer.byteLength(text) > FILE_SIZE_BYTES_MAX) {
    throw new KimitsuError(
      "config_invalid",
      `The lock would have ${Math.ceil(Buffer.byteLength(text) / 1024)} KB, and at most ${FILE_SIZE_BYTES_MAX / 1024} KB are read. Use servers with fewer tools, or ask their makers for shorter descriptions.`,
    );
  }
  const file = path.join(root, LOCK_FILE);
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/** The input of `judgePin`: null without a lock file, empty for a server that the lock does not have. */
export function lockedPins(
  lock: ToolsLock | null,
  server: string,
): Record<string, { fingerprint: string; shape: string }> | null {
  if (lock === null) return null;
  const tools = Object.hasOwn(lock.servers, server) ? lock.servers[server]!.tools : {};
  return Object.fromEntries(
    Object.entries(tools).map(([name, { fingerprint, shape }]) => [name, { fingerprint, shape }]),
  );
}
