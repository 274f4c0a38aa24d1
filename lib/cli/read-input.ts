import { readFileSync } from "node:fs";
import { KimitsuError } from "@/lib/errors";

/** JSON as given, from a file with `@file`, or from standard input with `@-`. It must be an object. */
export function readInput(text: string, option: string): Record<string, unknown> {
  const source = text.startsWith("@") ? readSource(text.slice(1), option) : text;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new KimitsuError(
      "invalid_request",
      `${option} is not JSON (${(error as Error).message}); write ${option} '{"name": "value"}' or ${option} @file.json`,
    );
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new KimitsuError("invalid_request", `${option} must be a JSON object, such as '{"name": "value"}'`);
  return value as Record<string, unknown>;
}

function readSource(file: string, option: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new KimitsuError("not_found", `${option} @${file} cannot be read: ${(error as Error).message}`);
  }
}
