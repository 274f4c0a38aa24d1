/**
 * Which part of an address with `{{ … }}` in it each expression fills: where the request goes, or what it asks for
 * there.
 */
import {
  parseTemplateText,
  WORKFLOW_ROOTS,
  type TemplateExpression,
  type TemplateRoot,
  type TextProblem,
} from "./template-text";

/**
 * `start`: the address begins with it, so it may be a whole address. `host`: it is in the place of scheme, user, host
 * or port. `path`: it comes after them.
 */
export type AddressPlace = "start" | "host" | "path" | "query";

export interface AddressExpression extends TemplateExpression {
  place: AddressPlace;
}

/** How far the fixed text has been read: delimiters are searched for only in the file's own text. */
type State = "scheme" | "slashes" | "host" | "slash" | "path" | "query";

export function parseAddressText(
  text: string,
  roots: readonly TemplateRoot[] = WORKFLOW_ROOTS,
): { parts: (string | AddressExpression)[]; problems: TextProblem[] } {
  const { parts, problems } = parseTemplateText(text, roots);
  let state: State = "scheme";
  return {
    problems,
    parts: parts.map((part, index) => {
      if (typeof part === "string") {
        state = readFixed(state, part);
        return part;
      }
      if (state === "slashes") state = "host";
      if (state === "slash") state = "path";
      return { ...part, place: index === 0 ? "start" : state === "scheme" ? "host" : state } as AddressExpression;
    }),
  };
}

/**
 * Reads as browsers and Node do: any number of slashes of either kind may follow the scheme, and tabs and line breaks
 * do not count.
 */
function readFixed(from: State, text: string): State {
  let state = from;
  for (const character of text.replaceAll(/[\t\r\n]/g, "")) {
    const isSlash = character === "/" || character === "\\";
    if (state === "query") break;
    if (character === "?" || character === "#") state = "query";
    else if (state === "scheme" && character === ":") state = "slashes";
    // After a variable that may hold "https:", two slashes begin the host; one begins the path.
    else if (state === "scheme" && isSlash) state = "slash";
    else if (state === "slash") state = isSlash ? "slashes" : "path";
    else if (state === "slashes" && !isSlash) state = "host";
    else if (state === "host" && isSlash) state = "path";
  }
  return state;
}

/** What chooses where the request goes. */
export function listAddressChoosers(text: string, roots?: readonly TemplateRoot[]): AddressExpression[] {
  return parseAddressText(text, roots).parts.filter(
    (part): part is AddressExpression => typeof part !== "string" && (part.place === "start" || part.place === "host"),
  );
}
