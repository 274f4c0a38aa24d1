/**
 * Expressions that can be read, but not as they were meant: `force == true` compares with a field named "true",
 * `currency == "EUR"` with a field named EUR. Both are false for every call that they were written for, so that a guard
 * would wave it through. `!= null` means the same by either reading, and older projects are full of it.
 */

const OPERATOR = String.raw`(?:==|!=)`;
const SLIPS: [pattern: RegExp, message: (word: string) => string][] = [
  [new RegExp(String.raw`${OPERATOR}\s*(true|false)\b(?!\s*[.([])`), backticks],
  [new RegExp(String.raw`(?<![.\w"-])(true|false)\s*${OPERATOR}`), backticks],
  [new RegExp(String.raw`${OPERATOR}\s*"([A-Za-z_]\w*)"(?!\s*[.([])`), apostrophes],
  [/,\s*"([A-Za-z_]\w*)"\s*\)/, apostrophes],
];

function backticks(word: string): string {
  return `${word} is read as the name of a field; write \`${word}\` in backticks`;
}

/** A name that needs no quotes was hardly quoted to be a name. */
function apostrophes(word: string): string {
  return `"${word}" is read as the name of a field; write '${word}' for the text, or leave the quotes out for the field`;
}

/** What was probably meant otherwise, or null. Only for expressions that compile. */
export function findSlip(source: string): string | null {
  // What stands in literals is text, whatever it looks like.
  const bare = source.replaceAll(
    /'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g,
    (literal) => `'${"_".repeat(literal.length - 2)}'`,
  );
  for (const [pattern, explain] of SLIPS) {
    const word = pattern.exec(bare)?.[1];
    if (word !== undefined) return explain(word);
  }
  return null;
}
