/**
 * The sentence on a reviewer's card: from the server file's template or from the tool's own title, never from a model.
 */
import { parseTemplates, renderTemplate } from "@/lib/config/template";

const ARGUMENT_LENGTH_MAX = 60;
const ARGUMENTS_MAX = 4;

/** The title of a tool for people: from the server's file, else from the server, which may give it in two places. */
export function titleOf(
  tool: { title?: string | undefined; annotations?: unknown } | null | undefined,
  stated: { annotations?: { title?: string | undefined } | undefined } | undefined,
): string | undefined {
  const declared = (tool?.annotations as { title?: unknown } | null | undefined)?.title;
  return [stated?.annotations?.title, tool?.title, declared].find(
    (title): title is string => typeof title === "string" && title.trim() !== "",
  );
}

/** `args` are already redacted. If a template does not fit the arguments, the plain form is used. */
export function summarizeCall(
  tool: { name: string; title?: string | undefined },
  template: string | undefined,
  args: Record<string, unknown>,
): string {
  if (template !== undefined) {
    try {
      return String(renderTemplate(template, { args: withLists(template, args) }));
    } catch {
      // An argument that the template names is missing; the plain form shows what is there.
    }
  }
  const short = Object.entries(args)
    .filter(([, value]) => value !== null && typeof value !== "object" && String(value).length <= ARGUMENT_LENGTH_MAX)
    .slice(0, ARGUMENTS_MAX)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [tool.title ?? tool.name, short.join(", ")].filter(Boolean).join(": ");
}

/**
 * Lists that the template names as a whole become lists of words; a list of which it names an item is left unchanged.
 */
function withLists(template: string, args: Record<string, unknown>): Record<string, unknown> {
  const { references } = parseTemplates(template, ["args"]);
  const opened = new Set(references.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, opened.has(name) ? value : toWords(value)]),
  );
}

/** Whatever could be misread as another list, such as a word with a comma in it, stays JSON. */
function toWords(value: unknown): unknown {
  const isWord = (item: unknown) =>
    typeof item === "number" || (typeof item === "string" && /^[^\s,;"'[\]{}]+( [^\s,;"'[\]{}]+)*$/.test(item));
  return Array.isArray(value) && value.length > 0 && value.every(isWord) ? value.join(", ") : value;
}
