import { showInvisible } from "@/lib/text/tool-text";

/** One value of a call's arguments as a reviewer reads it: hidden characters visible, nothing cut off. */
export type ShownValue =
  | { kind: "text"; text: string; length: number }
  /** Numbers, true, false, null, and empty lists and objects, as JSON writes them. */
  | { kind: "plain"; text: string }
  /** A list of texts and plain values is shown as one value; each item as JSON would write it. */
  | { kind: "list"; items: string[] }
  | { kind: "redacted"; what: string; length: number; fingerprint: string };

export interface ShownArgument {
  /** `items[2].sku`; names that are not plain words are quoted. */
  path: string;
  value: ShownValue;
}

export interface InvisibleArgument {
  name: string;
  shownName: string;
  /** Labels of the invisible characters in its value, each once. */
  marks: string[];
}

interface Redaction {
  kind: string;
  length: number;
  fingerprint: string;
}

/**
 * Every leaf, and every list of leaves, with its path, in the order given by `names` (the tool's schema), then by name.
 * Lists keep their order.
 */
export function showArguments(args: unknown, names: readonly string[] = []): ShownArgument[] {
  return walk(args, "", names);
}

/** Top-level arguments, or names in the tool's schema, that contain hidden characters, with a label for each. */
export function listInvisible(args: unknown, names: readonly string[]): InvisibleArgument[] {
  const given = new Map(args !== null && typeof args === "object" ? Object.entries(args) : []);
  return [...new Set([...given.keys(), ...names])].flatMap((name) => {
    const shownName = showInvisible(name);
    const text = JSON.stringify(given.get(name)) ?? "";
    const marks = text === showInvisible(text) ? [] : [...new Set(showInvisible(text).match(/⟨U\+[0-9A-F]{4,6}⟩/g))];
    return shownName === name && marks.length === 0 ? [] : [{ name, shownName, marks }];
  });
}

function walk(value: unknown, path: string, names: readonly string[]): ShownArgument[] {
  const redaction = redactionOf(value);
  if (redaction) {
    const { kind: what, length, fingerprint } = redaction;
    return [{ path, value: { kind: "redacted", what, length, fingerprint } }];
  }
  if (typeof value === "string")
    return [{ path, value: { kind: "text", text: showInvisible(value), length: value.length } }];
  if (Array.isArray(value) && value.length > 0)
    return value.every(isScalar)
      ? [{ path, value: { kind: "list", items: value.map(printScalar) } }]
      : value.flatMap((entry, index) => walk(entry, `${path}[${index}]`, []));
  if (value !== null && typeof value === "object" && Object.keys(value).length > 0)
    return inOrder(Object.entries(value), names).flatMap(([key, entry]) => walk(entry, join(path, key), []));
  return path === "" ? [] : [{ path, value: { kind: "plain", text: JSON.stringify(value) ?? "null" } }];
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== "object";
/** With its quotes escaped, so that no text can look like two. */
const printScalar = (value: unknown): string =>
  typeof value === "string"
    ? `"${showInvisible(value).replaceAll(/["\\]/g, "\\$&")}"`
    : (JSON.stringify(value) ?? "null");

function inOrder(entries: [string, unknown][], names: readonly string[]): [string, unknown][] {
  const place = (key: string) => (names.includes(key) ? names.indexOf(key) : names.length);
  return entries.toSorted(([one], [other]) => place(one) - place(other) || (one < other ? -1 : 1));
}

function join(path: string, key: string): string {
  if (/^[A-Za-z_$][\w$-]*$/.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path}["${showInvisible(key)}"]`;
}

/**
 * What lib/text/redaction.ts left in place of a secret. Arguments cannot imitate it, because their keys are escaped
 * there.
 */
export function redactionOf(value: unknown): Redaction | null {
  if (
    value === null ||
    typeof value !== "object" ||
    Object.keys(value).length !== 1 ||
    !Object.hasOwn(value, "$redacted")
  )
    return null;
  return (value as { $redacted: Redaction }).$redacted;
}

/** One text per value, for comparing and for showing the previous value. */
export function printShown(value: ShownValue): string {
  switch (value.kind) {
    case "text":
      return `"${value.text}"`;
    case "plain":
      return value.text;
    case "list":
      return value.items.join(", ");
    case "redacted":
      return `${value.what} hidden, ${value.length} characters, ${value.fingerprint}`;
  }
}
