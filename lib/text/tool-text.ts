/** Untrusted text made safe to read: without terminal codes for a model, with nothing hidden for a person. */

/** Colours, cursor movement, window titles: what a terminal executes and a reader does not see. */
const TERMINAL_CODES =
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;
/** Controls other than line break and tab. */
const CONTROLS = /[\p{Cc}--[\n\t]]/gv;
/**
 * Characters that take no room or turn the reading direction: format characters (zero width, bidi, the tag block in
 * which whole sentences can be hidden), fillers, variation selectors, private use, and spaces that are not the space.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]|[\p{Zs}--[ ]]/gv;
/** What a model would read and a reviewer would not: direction changes and the tag block. */
const DECEPTIVE = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/**
 * Where text can hide from whoever reads a definition. Not so in emoji, which are made of such characters, and in
 * spaces, which are seen.
 */
const HIDDEN = /(\p{RGI_Emoji})|[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\u2028\u2029]--[\n\t]]/gv;

/**
 * For models and logs: terminal codes and controls are gone, deceptive characters are named, and line ends are uniform.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(TERMINAL_CODES, "")
    .replaceAll("\r\n", "\n")
    .replace(CONTROLS, "")
    .replace(DECEPTIVE, nameCharacter);
}

/** Databases hold no NUL, and half a surrogate pair is no text: both are replaced, and all else stays. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** For people who judge a text: every character that cannot be seen is written as its number, such as ⟨U+200B⟩. */
export function showInvisible(text: string): string {
  return text.replace(CONTROLS, nameCharacter).replace(INVISIBLE, nameCharacter);
}

/**
 * For JSON that may be read in a terminal: what could drive it, or turn its reading direction, stands as an escape,
 * which every parser reads as the character itself.
 */
export function escapeInvisible(json: string): string {
  const escape = (character: string) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return json.replace(CONTROLS, escape).replace(INVISIBLE, escape);
}

export function hasInvisible(text: string): boolean {
  return showInvisible(text) !== text;
}

/**
 * For models that are told of a tool: they read what a person would have seen, and its hidden characters by their
 * numbers.
 */
export function nameHidden(text: string): string {
  return plain(text).replace(HIDDEN, (found, emoji: string | undefined) => emoji ?? nameCharacter(found));
}

/** Whether any text of a JSON value, keys included, says more than can be seen of it. */
export function hidesText(value: unknown): boolean {
  if (typeof value === "string") return nameHidden(value) !== plain(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, entry]) => hidesText(key) || hidesText(entry));
}

const plain = (text: string): string => text.toWellFormed().replaceAll("\r\n", "\n");

function nameCharacter(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Every string of a JSON value, keys included, through `change`. */
export function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapText(entry, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [change(key), mapText(entry, change)]));
}
