/**
 * Prepares the text of an expression for the library: quotes step ids that contain hyphens, and spells raw strings
 * and JSON literals in a way that the library reads as the official grammar does. It walks token by token, so text
 * inside quotes is never mistaken for code.
 */
import { JmespathError } from "./jmespath-error";

/** Deeper bracket nesting than this is refused before the recursive parser sees it. */
const NESTING_MAX = 64;

export interface PreparedSource {
  text: string;
  /** Maps a place in `text` back to the place in what the author wrote. */
  originalOffset(offset: number): number;
}

interface Edit {
  at: number;
  growth: number;
}

const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const HYPHENATED = /[A-Za-z0-9_][A-Za-z0-9_-]*/y;
const NUMBER = /-?[0-9]+/y;

/**
 * `stepIds` are the ids that may follow `step.`; without them any run of letters, digits, `_` and `-` is taken as one
 * id.
 */
export function prepareSource(source: string, stepIds?: ReadonlySet<string>): PreparedSource {
  const edits: Edit[] = [];
  let text = "";
  let position = 0;
  let nesting = 0;
  /** The last tokens that were not white space, newest last: enough to see whether `step` starts a path. */
  const tail: string[] = [];

  const emit = (token: string, spelled = token) => {
    text += spelled;
    position += token.length;
    if (spelled !== token) edits.push({ at: text.length, growth: spelled.length - token.length });
    if (token.trim() !== "") tail.push(token);
  };

  while (position < source.length) {
    const char = source[position] as string;
    const id = stepIdAt(source, position, tail, stepIds);
    if (id !== null) {
      emit(id, /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : JSON.stringify(id));
    } else if (char === "'" || char === '"' || char === "`") {
      const token = quotedAt(source, position);
      emit(token, spell(token));
    } else {
      nesting += "([{".includes(char) ? 1 : ")]}".includes(char) ? -1 : 0;
      if (nesting > NESTING_MAX) {
        throw new JmespathError("limit", `brackets are nested more than ${NESTING_MAX} deep`, position);
      }
      refuseAssignment(source, position, tail);
      emit(wordAt(source, position) ?? char);
    }
  }
  return { text, originalOffset: (offset) => toOriginal(edits, offset, source.length) };
}

/** `priority = 'high'` is meant as a comparison; the library would take it for an assignment. */
function refuseAssignment(source: string, position: number, tail: string[]): void {
  const isSingle =
    source[position] === "=" && source[position + 1] !== "=" && !/[=!<>]/.test(source[position - 1] ?? "");
  if (isSingle && !tail.includes("let"))
    throw new JmespathError("syntax", "a single `=` does not compare; write ==", position);
}

function stepIdAt(source: string, position: number, tail: string[], stepIds?: ReadonlySet<string>): string | null {
  if (tail.at(-1) !== "." || tail.at(-2) !== "step") return null;
  const isPathStart = tail.at(-3) !== "." || tail.at(-4) === "@" || tail.at(-4) === "$";
  if (!isPathStart) return null;
  const run = match(HYPHENATED, source, position);
  if (run === null) return null;
  if (!stepIds || stepIds.has(run)) return run;
  // `step.total-fee` may be a subtraction when only `total` is a step: take the longest known id that ends at a hyphen.
  const known = [...stepIds].filter((id) => run.startsWith(`${id}-`));
  return known.sort((a, b) => b.length - a.length)[0] ?? match(IDENTIFIER, source, position);
}

function wordAt(source: string, position: number): string | null {
  const word = match(IDENTIFIER, source, position);
  if (word !== null) return word;
  const number = match(NUMBER, source, position);
  if (number === null) return null;
  if (source[position + number.length] === "-") {
    // The library would silently drop what follows the first number.
    throw new JmespathError(
      "syntax",
      "a number cannot be followed directly by '-'; put literals in backticks",
      position,
    );
  }
  return number;
}

function quotedAt(source: string, start: number): string {
  const quote = source[start] as string;
  let end = start + 1;
  while (end < source.length && source[end] !== quote) end += source[end] === "\\" ? 2 : 1;
  if (end >= source.length) throw new JmespathError("syntax", `the ${quote} that opens here is never closed`, start);
  return source.slice(start, end + 1);
}

/**
 * Raw strings escape only the quote; backticks inside JSON literals are written as an escape that needs no unescaping.
 */
function spell(token: string): string {
  if (token[0] === "'" && token.includes("\\")) {
    const value = token.slice(1, -1).replaceAll("\\'", "'");
    return `\`${JSON.stringify(value).replaceAll("`", "\\u0060")}\``;
  }
  if (token[0] === "`") return `\`${token.slice(1, -1).replaceAll("\\`", "\\u0060")}\``;
  return token;
}

function match(pattern: RegExp, source: string, position: number): string | null {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0] ?? null;
}

function toOriginal(edits: Edit[], offset: number, length: number): number {
  const growth = edits.filter((edit) => edit.at <= offset).reduce((sum, edit) => sum + edit.growth, 0);
  return Math.max(0, Math.min(length, offset - growth));
}
