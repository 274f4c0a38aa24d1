/** A file that is shown before it is changed, and changed only if it is still what was shown. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTwoFilesPatch } from "diff";
import { KimitsuError } from "@/lib/errors";

const OWNER_ONLY = 0o600;

/** Null when there is none. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new KimitsuError("invalid_request", `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The changed lines with a few around them. */
export function showChange(file: string, before: string | null, after: string): string {
  const [, ...lines] = createTwoFilesPatch(before === null ? "/dev/null" : file, file, before ?? "", after, "", "", {
    context: 2,
  }).split("\n");
  return lines.join("\n").trimEnd();
}

interface Change {
  file: string;
  /** What the file was when the change was shown. */
  before: string | null;
  after: string;
  holdsToken: boolean;
}

/** In one move, so that no reader finds half a file; a link stays one. */
export function writeChange({ file, before, after, holdsToken }: Change): void {
  if (readIfThere(file) !== before)
    throw new KimitsuError("conflict", `${file} was changed meanwhile, so nothing was written. Run the command again.`);
  const target = before === null ? file : realpathSync(file);
  const mode = holdsToken ? OWNER_ONLY : before === null ? 0o644 : statSync(target).mode & 0o777;
  mkdirSync(path.dirname(target), { recursive: true });
  const draft = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, after, { mode: OWNER_ONLY, flag: "wx" });
    chmodSync(draft, mode);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new KimitsuError("invalid_request", `${file} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
