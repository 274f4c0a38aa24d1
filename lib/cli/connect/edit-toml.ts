/**
 * Sets one table in a TOML file of somebody else: its lines are replaced, or come after the last; everything else in the
 * file stays as it is, comments included.
 */
import { parse, TomlError } from "smol-toml";
import type { ClientEntry } from "@/lib/cli/connect/clients";
import { KimitsuError } from "@/lib/errors";

export function editToml(text: string, { values }: ClientEntry, file: string): string {
  let edited = text;
  readToml(text, file);
  for (const { path, value } of values) edited = setTable(edited, path, value as Record<string, string>);
  const written = readToml(edited, file);
  // The table may have been written in another form, as an inline table or with dotted keys.
  for (const { path, value } of values) {
    const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], written);
    if (JSON.stringify(found) !== JSON.stringify(value)) throw otherForm(file, path);
  }
  return edited;
}

function readToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    throw new KimitsuError(
      "invalid_request",
      `${file}:${error.line} is not TOML (${reason}), so nothing was written. Correct it, or print the entry with --print.`,
      { cause: error },
    );
  }
}

const otherForm = (file: string, path: readonly string[]) =>
  new KimitsuError(
    "invalid_request",
    `${file} has ${path.join(".")} in a form that cannot be changed here, so nothing was written. Remove it, or print the entry with --print.`,
  );

const keyOf = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

function setTable(text: string, path: readonly string[], value: Record<string, string>): string {
  const head = `[${path.map(keyOf).join(".")}]`;
  const body = Object.entries(value).map(([key, each]) => `${keyOf(key)} = ${JSON.stringify(each)}`);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.replace(/#.*$/, "").replaceAll(/\s/g, "") === head);
  if (start === -1) {
    const before = text.trimEnd();
    return `${before}${before === "" ? "" : eol + eol}${[head, ...body].join(eol)}${eol}`;
  }
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line));
  const end = next === -1 ? lines.length : next;
  // Comments and empty lines before the next table belong to that one.
  let last = end;
  while (last > start + 1 && /^\s*(#.*)?$/.test(lines[last - 1] ?? "")) last -= 1;
  return [...lines.slice(0, start + 1), ...body, ...lines.slice(last)].join(eol);
}
