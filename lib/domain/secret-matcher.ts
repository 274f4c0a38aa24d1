/**
 * Finds known secrets in text, in the forms in which servers echo them: as they are, escaped for JSON (also by codes) or an address,
 * in hexadecimal, and in base64 at any alignment (as in `Basic base64(user:secret)`). Built in the moment of use and
 * dropped with it; the values are never kept.
 */

/** Shorter values would occur everywhere by chance; they are only recognised when they are the whole text. */
const ANYWHERE_LENGTH_MIN = 4;
/** A piece of base64 shorter than this is too common to be evidence. */
const BASE64_LENGTH_MIN = 8;

export interface SecretMatcher {
  /** True when the text is nothing but a secret. */
  equals(text: string): boolean;
  /** Puts what `replacement` gives for the secret in place of every occurrence; the text itself when there is none. */
  replaceAll(text: string, replacement: (secret: string) => string): string;
}

export function createSecretMatcher(secrets: Iterable<string>): SecretMatcher {
  const values = [...new Set(secrets)].filter((secret) => secret !== "");
  const bySpelling = new Map<string, string>();
  for (const secret of values) for (const spelling of spellings(secret)) if (!bySpelling.has(spelling)) bySpelling.set(spelling, secret);
  // The longest first, so that a secret within a longer one does not leave the rest of it behind.
  const ordered = [...bySpelling.keys()].sort((left, right) => right.length - left.length);
  const pattern = ordered.length > 0 ? new RegExp(ordered.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "gu") : null;
  return {
    equals: (text) => values.includes(text),
    replaceAll: (text, replacement) =>
      values.includes(text)
        ? replacement(text)
        : pattern === null
          ? text
          : text.replace(pattern, (found) => replacement(bySpelling.get(found) ?? found)),
  };
}

/** Finds what either finds; what the first has taken out is gone for the second. */
export function joinMatchers(first: SecretMatcher, second: SecretMatcher): SecretMatcher {
  return {
    equals: (text) => first.equals(text) || second.equals(text),
    replaceAll: (text, replacement) => second.replaceAll(first.replaceAll(text, replacement), replacement),
  };
}

function spellings(secret: string): string[] {
  if (secret.length < ANYWHERE_LENGTH_MIN) return [];
  const bytes = Buffer.from(secret, "utf8");
  const json = JSON.stringify(secret).slice(1, -1);
  const address = encodeURIComponent(bytes.toString("utf8"));
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const hex = bytes.toString("hex");
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll("/", "\\/"),
    ...writtenAsCodes(secret, json),
    address,
    address.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form,
    form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    hex,
    hex.toUpperCase(),
    ...base64Cores(bytes),
  ];
}

/** As JSON writes characters by their codes, in small letters and in capitals. Which ones, each library chooses for itself. */
function writtenAsCodes(secret: string, json: string): string[] {
  const written = (text: string, characters: RegExp): string[] => {
    const coded = text.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return [coded, coded.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`)];
  };
  return [
    ...[/[^\w-]/g, /\W/g, /[<>&'"+\u0080-\uffff]/g].flatMap((characters) => written(secret, characters)),
    ...[/[<>&]/g, /[\u0080-\uffff]/g, /[<>&\u0080-\uffff]/g].flatMap((characters) => written(json, characters)),
  ];
}

/** The characters of the base64 of any text that contains the bytes, for each of the three places a group can start. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64").replaceAll("=", "");
    const isCut = (shift + bytes.length) % 3 !== 0;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, isCut ? -1 : undefined);
    if (core.length < BASE64_LENGTH_MIN) return [];
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
