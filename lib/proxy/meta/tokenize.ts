/** Text as the words that search compares: names split at their case and separators, and endings removed. Pure. */

/** Longer text adds words that no query means, and time to every list. */
const TEXT_LENGTH_MAX = 20_000;
/** No word that anybody asks for is longer; a hostile one must not cost time. */
const WORD_LENGTH_MAX = 40;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Written without spaces between words, so that every pair of neighbours is a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/gu;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Too frequent in questions and descriptions to say what is meant. */
const STOP_WORDS = new Set(
  "a an and are as at be by can do does for from how i if in into is it its me my of on or that the there this to use using want what when which will with you your".split(
    " ",
  ),
);

/** Every word of a text, in its order. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  for (const [found] of text.slice(0, TEXT_LENGTH_MAX).normalize("NFKC").matchAll(WORD)) {
    const parts = found.split(HUMPS);
    // `localStorage` is also looked for as `localstorage`.
    for (const part of parts.length > 1 ? [...parts, found] : parts)
      words.push(...toWords(part.slice(0, WORD_LENGTH_MAX).toLowerCase()));
  }
  return words;
}

/** Words that say nothing are left out, unless there are no others. */
export function tokenizeQuery(text: string): string[] {
  const plain = tokenize(text.replaceAll(WORD, (word) => (STOP_WORDS.has(word.toLowerCase()) ? " " : word)));
  return [...new Set(plain.length > 0 ? plain : tokenize(text))];
}

function toWords(word: string): string[] {
  const unspaced = word.match(UNSPACED);
  if (!unspaced) return [toStem(word)];
  return unspaced.flatMap((run) => {
    const letters = [...run];
    return letters.slice(1).map((letter, index) => letters[index]! + letter);
  });
}

/**
 * English endings only, so that `merging`, `merged` and `merges` are `merg` as `merge` is. A stem need not be a word: it
 * is only ever compared with other stems.
 */
function toStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const single = toSingular(word);
  const base = single.replace(/(?<=[a-z]*[aeiouy][a-z]*)(?:ing|ed)$/, "");
  const stem = base.length >= 3 ? base : single;
  // `running` is `runn`, and `call` stays `call`.
  const isDoubled = stem !== single && /([b-df-hjkmnp-rtv-xz])\1$/.test(stem);
  return isDoubled ? stem.slice(0, -1) : stem.length > 3 ? stem.replace(/e$/, "") : stem;
}

function toSingular(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|x|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.replace(/s$/, "");
}
