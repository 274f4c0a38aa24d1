/**
 * One YAML file as a plain value that remembers the position of everything in it. Hostile input is refused in bounded
 * time and memory.
 */
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Pair,
} from "yaml";
import { formatPath, type Problem, type ValuePath } from "./problem";

/**
 * A hand-written file stays far below; the parser needs about 2 KB of memory and 10 µs per byte for the worst input of
 * this size.
 */
export const FILE_SIZE_BYTES_MAX = 256 * 1024;
/** Deeper than any project needs; JSON Schemas are the deepest values and stay under thirty. */
const NESTING_MAX = 64;

export interface Position {
  line: number;
  column: number;
}

export interface YamlSource {
  readonly file: string;
  /** Undefined when the file could not be read as YAML at all. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /**
   * Position of the value at a path, or of the nearest parent if the path does not exist. `key` asks for the field's
   * name instead of its value.
   */
  locate(path: ValuePath, part?: "value" | "key"): Position;
}

export function parseYamlSource(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  // Unique keys are checked below with a set: the parser's own check compares every pair of keys.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    merge: false,
    resolveKnownTags: false,
    logLevel: "error",
  });
  const problems: Problem[] = [];
  const refuse = (offset: number, path: ValuePath, message: string, hint?: string) => {
    const { line, col } = lines.linePos(offset);
    problems.push({
      file,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      path: formatPath(path),
      message,
      hint,
      severity: "error",
    });
  };
  // Only the first syntax error: those after it are most often its consequences and mislead the reader.
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (error !== undefined) {
    const { message, hint } = explainSyntax(error.code, error.message);
    refuse(error.pos[0], [], message, hint);
  }
  for (const warning of document.warnings) refuse(warning.pos[0], [], warning.message, "write the value without a tag");
  const value = problems.length > 0 ? undefined : convert(document.contents, [], refuse);
  return { file, value, problems, locate: (path, part) => locateIn(document, lines, path, part ?? "value") };
}

function explainSyntax(code: string, message: string): { message: string; hint?: string } {
  switch (code) {
    case "TAB_AS_INDENT":
      return { message: "a tab is used to indent", hint: "YAML indents with spaces" };
    case "RESOURCE_EXHAUSTION":
      return { message: "values are nested too deeply to read", hint: `at most ${NESTING_MAX} levels are read` };
    case "MULTIPLE_DOCS":
      return {
        message: "more than one YAML document in the file",
        hint: "one file holds one definition; remove the `---` line and what follows",
      };
    case "BLOCK_AS_IMPLICIT_KEY":
      return {
        message: "not YAML here: a nested value stands on the line of its field",
        hint: "put text that contains `: ` in quotes",
      };
    case "BLOCK_IN_FLOW":
      return {
        message: "a `: ` or `- ` makes a new field inside of { } or [ ]",
        hint: "put text that contains it in quotes",
      };
    case "MISSING_CHAR":
      return {
        message: "something is not closed before this place",
        hint: "look for a missing quote or bracket on the lines above",
      };
    default:
      return { message: `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}` };
  }
}

type Refuse = (offset: number, path: ValuePath, message: string, hint?: string) => void;

function convert(node: unknown, path: ValuePath, refuse: Refuse): unknown {
  if (node === null || node === undefined) return null;
  if (path.length > NESTING_MAX) {
    refuse(
      startOf(node),
      path.slice(0, 3),
      "values are nested too deeply to read",
      `at most ${NESTING_MAX} levels are read`,
    );
    return null;
  }
  if (isAlias(node)) {
    refuse(
      startOf(node),
      path,
      `"*${node.source}" refers to an anchor; anchors and aliases are not supported`,
      "write the value out",
    );
    return null;
  }
  if (isScalar(node)) return convertScalar(node.value, startOf(node), path, refuse);
  if (isSeq(node)) return node.items.map((item, index) => convert(item, [...path, index], refuse));
  if (isMap(node)) return convertMap(node.items, path, refuse);
  refuse(startOf(node), path, "a value of an unknown kind");
  return null;
}

function convertScalar(value: unknown, offset: number, path: ValuePath, refuse: Refuse): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse(offset, path, `${value} cannot be carried in JSON`, "write a finite number, or a string in quotes");
    return null;
  }
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    refuse(offset, path, "the number is too large to be kept exactly", "put it in quotes");
    return null;
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    refuse(
      offset,
      path,
      "the text contains half of a character (a lone surrogate)",
      "remove the escape that begins with \\uD",
    );
    return null;
  }
  return value;
}

function convertMap(items: readonly Pair[], path: ValuePath, refuse: Refuse): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const { key, value } of items) {
    const offset = startOf(key ?? value);
    if (!isScalar(key) || key.value === null || typeof key.value === "object") {
      const isTemplate = isMap(key) && key.flow === true;
      const hint = isTemplate
        ? 'a template is text and needs quotes: "{{ params.NAME }}"'
        : "put text that begins with `[` or `*` in quotes";
      refuse(offset, path, "a field name must be plain text", hint);
      continue;
    }
    const name = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
    if (name === "<<") {
      refuse(offset, path, "merge keys (`<<`) are not supported", "write the fields out");
    } else if (name === "__proto__") {
      refuse(offset, path, `"__proto__" cannot be a field name`);
    } else if (seen.has(name)) {
      refuse(offset, path, `field ${JSON.stringify(name)} is given twice`, "keep one of them");
    } else {
      seen.add(name);
      result[name] = convert(value, [...path, name], refuse);
    }
  }
  return result;
}

function startOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

function locateIn(document: Document, lines: LineCounter, path: ValuePath, part: "value" | "key"): Position {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  let node: unknown = document.contents;
  let position = at(startOf(node));
  for (const [index, step] of path.entries()) {
    const child = childOf(node, step);
    if (child === undefined) return position;
    if (!isPair(child)) {
      node = child;
      position = at(startOf(node));
      continue;
    }
    const key = at(startOf(child.key));
    const value = child.value === null ? key : at(startOf(child.value));
    const isAskedKey = part === "key" && index === path.length - 1;
    // A value that begins on a later line (a block of text, a nested mapping) is best found by its field's name.
    position = isAskedKey || value.line !== key.line ? key : value;
    node = child.value;
  }
  return position;
}

function childOf(node: unknown, step: string | number): unknown {
  if (isSeq(node)) return typeof step === "number" ? node.items[step] : undefined;
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && (key.value === step || key.source === String(step)));
}
