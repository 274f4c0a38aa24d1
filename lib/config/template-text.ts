/** The grammar of one string with `{{ … }}` in it. Reports every mistake with its position; never throws. */
import { findNearest } from "./problem";

/**
 * The roots available in workflows and agents; each place has a rule for which of them are allowed. `args` is for
 * summaries of calls.
 */
export const WORKFLOW_ROOTS = ["params", "env", "step", "item", "item_index"] as const;
export type TemplateRoot = (typeof WORKFLOW_ROOTS)[number] | "args";

export interface TemplateExpression {
  root: TemplateRoot;
  /** What follows the root; for `step` the first is the step's id. */
  path: string[];
  /** Position of the `{{`, counted from 0. */
  offset: number;
  /** The expression as written between the braces, without the spaces around it. */
  text: string;
}

export type TemplatePart = string | TemplateExpression;

export interface TextProblem {
  offset: number;
  message: string;
}

const EXAMPLE = "{{ params.name }}";
/** `.name`, `.0`, `[0]` or `["any text"]`. */
const SEGMENT = /\.([A-Za-z0-9_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]*)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** `\{{` is a literal `{{`. A lone `}}` is text, because JSON in prompts and bodies ends that way. */
export function parseTemplateText(
  text: string,
  roots: readonly TemplateRoot[],
): { parts: TemplatePart[]; problems: TextProblem[] } {
  const parts: TemplatePart[] = [];
  const problems: TextProblem[] = [];
  let plain = "";
  let position = 0;
  while (position < text.length) {
    if (text.startsWith("\\{{", position)) {
      plain += "{{";
      position += 3;
    } else if (text.startsWith("{{", position)) {
      const end = text.indexOf("}}", position + 2);
      if (end < 0) {
        problems.push({
          offset: position,
          message: `the "{{" is never closed with "}}"; write ${EXAMPLE}, or \\{{ for the characters themselves`,
        });
        break;
      }
      const parsed = parseExpression(text.slice(position + 2, end), position, roots);
      if ("message" in parsed) problems.push(parsed);
      else parts.push(...(plain === "" ? [parsed] : [plain, parsed]));
      plain = "";
      position = end + 2;
    } else {
      plain += text[position];
      position += 1;
    }
  }
  if (plain !== "") parts.push(plain);
  return { parts, problems };
}

function parseExpression(
  inner: string,
  offset: number,
  roots: readonly TemplateRoot[],
): TemplateExpression | TextProblem {
  const text = inner.trim();
  if (text === "") return { offset, message: `"{{ }}" names nothing; write ${EXAMPLE}` };
  const root = /^[A-Za-z_][A-Za-z0-9_]*/.exec(text)?.[0] ?? "";
  if (!(roots as readonly string[]).includes(root)) return { offset, message: unknownRoot(text, root, roots) };
  const path = parsePath(text, root.length);
  if (path === null) {
    return {
      offset,
      message: `"${text}" is not a path; write names with dots, such as {{ ${root}.name }}, without operators or functions`,
    };
  }
  const expression = { root: root as TemplateRoot, path, offset, text };
  const message = checkLength(expression);
  return message === null ? expression : { offset, message };
}

function parsePath(text: string, start: number): string[] | null {
  const path: string[] = [];
  SEGMENT.lastIndex = start;
  while (SEGMENT.lastIndex < text.length) {
    const match = SEGMENT.exec(text);
    if (!match) return null;
    const name = match[3] === undefined ? (match[1] ?? match[2]) : parseQuoted(match[3]);
    if (name === undefined || name === null) return null;
    path.push(name);
  }
  return path;
}

function parseQuoted(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

function checkLength({ root, path, text }: TemplateExpression): string | null {
  if (root === "item") return null;
  if (root === "item_index") return path.length === 0 ? null : `"${text}": item_index is a number and has no fields`;
  if (path.length === 0)
    return `"${text}" names no ${root === "step" ? "step" : "value"}; write {{ ${root}.${root === "step" ? "id.field" : "name"} }}`;
  if (root === "env" && path.length > 1)
    return `"${text}": an environment variable is text and has no fields; write {{ env.${path[0]} }}`;
  return null;
}

function unknownRoot(text: string, root: string, roots: readonly TemplateRoot[]): string {
  if (roots.length === 0) return `"{{ ${text} }}": templates cannot be used here`;
  const known = roots.map((name) => (name === "item" || name === "item_index" ? name : `${name}.…`)).join(", ");
  const isWrongPlace = ([...WORKFLOW_ROOTS, "args"] as string[]).includes(root);
  if (isWrongPlace) return `"{{ ${text} }}": "${root}" cannot be used here; what can is ${known}`;
  const nearest = findNearest(root, roots);
  return `"{{ ${text} }}": unknown name "${root || text}"; known are ${known}${nearest === undefined ? "" : `; the nearest is "${nearest}"`}`;
}
