/**
 * `from` of a fan-out, a transform input or an output: `step.ID.FIELD`, `ID`, `ID.FIELD`, `params.NAME`, or a template.
 */
import { parseTemplates, type TemplateRoot } from "./template";

export interface FromExpression {
  root: TemplateRoot;
  /** What follows the root; for `step` the first is the step's id. */
  path: string[];
}

const SEGMENT = /^(?:\.?([A-Za-z0-9_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]*)\])/;

/** Null when the text is none of the forms; the reason is then that it is not a path. */
export function parseFrom(text: string): FromExpression | null {
  const trimmed = text.trim();
  if (trimmed.includes("{{")) {
    const { references, problems } = parseTemplates(trimmed);
    const [first] = references;
    return first !== undefined && references.length === 1 && problems.length === 0 && first.whole
      ? { root: first.root, path: first.path }
      : null;
  }
  const path = splitPath(trimmed);
  if (path === null || path.length === 0) return null;
  const [head, ...rest] = path;
  if (head === "step" || head === "params") return rest.length === 0 ? null : { root: head, path: rest };
  return { root: "step", path };
}

function splitPath(text: string): string[] | null {
  const path: string[] = [];
  let rest = text;
  while (rest !== "") {
    const match = SEGMENT.exec(rest);
    if (match === null || (path.length === 0) === rest.startsWith(".")) return null;
    path.push(match[1] ?? match[2] ?? "");
    rest = rest.slice(match[0].length);
  }
  return path;
}
