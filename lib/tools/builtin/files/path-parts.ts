/** From the path that a tool was given to its parts below the base. Exact: what is unclear is refused, never corrected. */
import { PATH_DEPTH_MAX, PATH_LENGTH_MAX } from "@/lib/tools/builtin/limits";
import { refuse } from "@/lib/tools/builtin/builtin-tool";

/** `bases` are the spellings of the base that an absolute path may begin with. An empty list means the base itself. */
export function toParts(path: string, bases: readonly string[]): string[] {
  if (path.length > PATH_LENGTH_MAX) refuse(`The path is longer than ${PATH_LENGTH_MAX} characters.`);
  if (path.includes("\0")) refuse("The path contains a NUL character, which no file name has.");
  if (!path.isWellFormed()) refuse("The path contains half of a surrogate pair, which no file name has.");
  const below = path.startsWith("/") ? belowBase(path, bases) : path;
  if (below === "" || below === ".") return [];
  const parts = below.split("/");
  if (parts.length > PATH_DEPTH_MAX) refuse(`The path has more than ${PATH_DEPTH_MAX} parts.`);
  for (const part of parts) {
    if (part === "..") refuse(`The path ${show(path)} contains "..": name the file from the base, without going up.`);
    if (part === "" || part === ".")
      refuse(`The path ${show(path)} has an empty part or a ".": write it without, such as "folder/file.txt".`);
    if (Buffer.byteLength(part) > 255) refuse(`A name in the path is longer than 255 bytes.`);
  }
  return parts;
}

/** The base must be followed by a slash: `/srv/data-other` is not in `/srv/data`. */
function belowBase(path: string, bases: readonly string[]): string {
  const base = bases.find((each) => path === each || path.startsWith(`${each}/`));
  if (base === undefined)
    return refuse(`${show(path)} is outside of the allowed folder. Give a path from there, such as "folder/file.txt".`);
  return path.slice(base.length + 1);
}

/** As a person should see it: control characters and quotes are escaped. */
export const show = (path: string): string => JSON.stringify(path.slice(0, 300));
