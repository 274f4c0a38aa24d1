/**
 * Expressions that are valid but do not mean what the author intended: `force == true` compares with a field named
 * "true", `currency == "EUR"` with a field named EUR. Both are false for every call that they were written for, so a
 * guard would let it pass. `!= null` means the same in both readings, and older projects use it often.
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

/** A name that needs no quotes was probably not quoted to be a name. */
function apostrophes(word: string): string {
  return `"${word}" is read as the name of a field; write '${word}' for the text, or leave the quotes out for the field`;
}

/** The expression that was probably meant, or null. Only for expressions that compile. */
export function findSlip(source: string): string | null {
  // Text in literals is not code.
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
