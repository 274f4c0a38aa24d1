import { z } from "zod";
import { declareBuiltin } from "./declare-builtin";

const folder = z
  .string()
  .min(1, "name a folder")
  .max(4_096)
  .refine((value) => !value.includes("\0"), "a path must not contain a NUL character");

/** Folders of the system. An agent has no business in them, whatever a project says. */
const SYSTEM_FOLDERS = ["/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/bin", "/sbin", "/lib", "/usr"];

export const isSystemFolder = (absolute: string): boolean =>
  absolute === "/" || SYSTEM_FOLDERS.some((each) => absolute === each || absolute.startsWith(`${each}/`));

export const FILES = declareBuiltin({
  name: "kimitsu/files",
  description: "Reads, writes and searches files in one folder",
  timeoutMs: 60_000,
  params: z.strictObject({
    allowed_base: folder
      .refine((value) => !isSystemFolder(value), "choose a folder of your own: this one belongs to the system")
      .describe("The only folder that can be reached; relative to the project folder unless it begins with /"),
    read_only_paths: z
      .array(folder)
      .max(100)
      .default([])
      .describe("Files and folders in `allowed_base` that can be read and not changed; relative ones as above"),
    max_file_bytes: z
      .int()
      .min(1)
      .max(8 * 1024 * 1024)
      .default(1024 * 1024)
      .describe("Most bytes that one call reads or writes"),
  }),
  tools: {
    read_file: { danger: "safe" },
    file_exists: { danger: "safe" },
    list_directory: { danger: "safe" },
    search: { danger: "safe" },
    write_file: { danger: "medium", summary: "Write the file {{ args.path }}" },
    create: { danger: "medium", summary: "Create the file {{ args.path }}" },
    move: { danger: "medium", summary: "Move {{ args.from }} to {{ args.to }}" },
    delete_file: { danger: "high", summary: "Delete the file {{ args.path }}" },
  },
});
