/**
 * The sentence on a reviewer's card: from the server file's template or from the tool's own title, never from a model.
 */
import { parseTemplates, renderTemplate } from "@/lib/config/template";

const ARGUMENT_LENGTH_MAX = 60;
const ARGUMENTS_MAX = 4;

/** What a tool is called for people: by the server's file, else by the server, which may say it in two places. */
export function titleOf(
  tool: { title?: string | undefined; annotations?: unknown } | null | undefined,
  stated: { annotations?: { title?: string | undefined } | undefined } | undefined,
): string | undefined {
  const declared = (tool?.annotations as { title?: unknown } | null | undefined)?.title;
  return [stated?.annotations?.title, tool?.title, declared].find(
    (title): title is string => typeof title === "string" && title.trim() !== "",
  );
}

/** `args` are redacted already. A template that does not fit the arguments gives way to the plain form. */
export function summarizeCall(
  tool: { name: string; title?: string | undefined },
  template: string | undefined,
  args: Record<string, unknown>,
): string {
  if (template !== undefined) {
    try {
      return String(renderTemplate(template, { args: withLists(template, args) }));
    } catch {
      // An argument that the sentence names is missing; the plain form shows what is there.
    }
  }
  const short = Object.entries(args)
    .filter(([, value]) => value !== null && typeof value !== "object" && String(value).length <= ARGUMENT_LENGTH_MAX)
    .slice(0, ARGUMENTS_MAX)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [tool.title ?? tool.name, short.join(", ")].filter(Boolean).join(": ");
}

/** Lists that the sentence names as a whole read as lists of words; one of which it names an item stays what it is. */
function withLists(template: string, args: Record<string, unknown>): Record<string, unknown> {
  const { references } = parseTemplates(template, ["args"]);
  const opened = new Set(references.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, opened.has(name) ? value : toWords(value)]),
  );
}

/** Whatever could be taken for another list, such as a word with a comma in it, stays as JSON has it. */
function toWords(value: unknown): unknown {
  const isWord = (item: unknown) =>
    typeof item === "number" || (typeof item === "string" && /^[^\s,;"'[\]{}]+( [^\s,;"'[\]{}]+)*$/.test(item));
  return Array.isArray(value) && value.length > 0 && value.every(isWord) ? value.join(", ") : value;
}
