/**
 * Sets values in a JSON file of somebody else. A new value comes first in its object, so that everything else in the
 * file stays as it is to the letter, comments included.
 */
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { ClientEntry } from "@/lib/cli/connect/clients";
import { KimitsuError } from "@/lib/errors";

export function editJson(text: string, { values }: ClientEntry, file: string): string {
  let edited = text.trim() === "" ? "{}\n" : text;
  for (const value of values) edited = setValue(edited, value, file);
  return edited;
}

type Value = ClientEntry["values"][number];

function setValue(text: string, { path, value, id }: Value, file: string): string {
  const root = readJson(text, file);
  refuseOther(root, path, { file, isList: id !== undefined });
  const isList = id !== undefined;
  const found = findNodeAtLocation(root, [...path]);
  if (!found) return insertBelow(text, { root, path, value: isList ? [value] : value });
  const old = isList ? found.children?.find((each) => findNodeAtLocation(each, ["id"])?.value === id) : found;
  return old ? replaceNode(text, old, value) : insertFirst(text, found, print(text, value));
}

/** Comments and commas at an end are read, as the clients read them. */
function readJson(text: string, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root && !error) return root;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  const reason = error ? printParseErrorCode(error.error) : "ValueExpected";
  throw new KimitsuError(
    "invalid_request",
    `${file}:${line} is not JSON (${reason}), so nothing was written. Correct it, or print the entry with --print.`,
  );
}

/** What is above the value must be of the kind that the client expects there. */
function refuseOther(root: Node, path: readonly string[], { file, isList }: { file: string; isList: boolean }): void {
  const above = isList ? path : path.slice(0, -1);
  for (let depth = 0; depth <= above.length; depth++) {
    const node = findNodeAtLocation(root, above.slice(0, depth));
    const wanted = isList && depth === above.length ? "array" : "object";
    if (!node) return;
    if (node.type === wanted) continue;
    const where = depth === 0 ? "the file" : above.slice(0, depth).join(".");
    throw new KimitsuError(
      "invalid_request",
      `${file}: ${where} is not ${wanted === "array" ? "a list" : "an object"}, so nothing was written. Correct it, or print the entry with --print.`,
    );
  }
}

/** Into the nearest object above that exists, with the objects between them. */
function insertBelow(
  text: string,
  { root, path, value }: { root: Node; path: readonly string[]; value: unknown },
): string {
  let depth = path.length - 1;
  while (!findNodeAtLocation(root, path.slice(0, depth))) depth -= 1;
  const parent = findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return insertFirst(text, parent, `${JSON.stringify(path[depth])}: ${print(text, nested)}`);
}

function insertFirst(text: string, parent: Node, member: string): string {
  const { eol, unit } = styleOf(text);
  const outer = indentAt(text, parent.offset);
  const first = parent.children?.[0];
  const inner = first && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : outer + unit;
  const start = parent.offset + 1;
  const rest = text.slice(start);
  const lines = member.replaceAll(/\r?\n/g, eol + inner);
  const isEmpty = (parent.children?.length ?? 0) === 0;
  const after = isEmpty
    ? /^\s*[\]}]/.test(rest)
      ? `${eol}${outer}${rest.trimStart()}`
      : rest
    : joinRest(rest, eol + inner);
  return `${text.slice(0, start)}${eol}${inner}${lines}${isEmpty ? "" : ","}${after}`;
}

/** What was on the line of the bracket begins a line of its own. */
const joinRest = (rest: string, newLine: string): string =>
  /^[ \t]*(\r?\n|\/\/|\/\*)/.test(rest) ? rest : `${newLine}${rest.replace(/^[ \t]+/, "")}`;

function replaceNode(text: string, { offset, length }: Node, value: unknown): string {
  const { eol } = styleOf(text);
  const lines = print(text, value).replaceAll("\n", eol + indentAt(text, offset));
  return text.slice(0, offset) + lines + text.slice(offset + length);
}

const print = (text: string, value: unknown): string => JSON.stringify(value, null, styleOf(text).unit);

/** As the file is written already. */
function styleOf(text: string): { unit: string; eol: string } {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? "";
const isFirstOnLine = (text: string, offset: number): boolean =>
  text.slice(lineStart(text, offset), offset).trim() === "";
