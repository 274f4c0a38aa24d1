/** The sentence on a reviewer's card: from the server file's template or from the tool's own title, never from a model. */
import { renderTemplate } from "@/lib/config/template";

const ARGUMENT_LENGTH_MAX = 60;
const ARGUMENTS_MAX = 4;

/** `args` are redacted already. A template that does not fit the arguments gives way to the plain form. */
export function summarizeCall(tool: { name: string; title?: string | undefined }, template: string | undefined, args: Record<string, unknown>): string {
  if (template !== undefined) {
    try {
      return String(renderTemplate(template, { args }));
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
