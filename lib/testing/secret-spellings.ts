/**
 * The spellings in which a known secret is found in what comes back, one row each: the tests spell secrets with it, and
 * the table in SECURITY.md is made from it. What is never found is named beside it.
 */

export interface SecretSpelling {
  name: string;
  write(secret: string): string;
  /**
   * The secret is inside of a longer text that is encoded as a whole; the few characters that it shares with its
   * neighbours may stay.
   */
  isInside?: true;
}

const hex4 = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0");
const everyUnit = (text: string, write: (unit: string) => string) => text.split("").map(write).join("");
const everyCharacter = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.codePointAt(0)!)).join("");
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const lower = (text: string, codes: RegExp) => text.replaceAll(codes, (code) => code.toLowerCase());
const mixed = (text: string) =>
  text
    .replaceAll(/%(.)(.)/g, (_code, first: string, second: string) => `%${first.toLowerCase()}${second.toUpperCase()}`)
    .replaceAll("%2F", "%2f");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const base64url = (text: string) => Buffer.from(text).toString("base64url");
const wrap = (text: string, width: number, end = "\n") =>
  (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(end);
const named = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;")
    .replaceAll("/", "&sol;")
    .replaceAll("ü", "&uuml;");

/**
 * Text around a secret, so that it begins at each of the three places of a group of base64, and right before the end of
 * a line.
 */
const inside = (secret: string, shift: number, width = 76) =>
  `${"user=ana; other=things; ".repeat(3).slice(0, Math.floor((width - 6) / 4) * 3 + shift)}${secret}; and more after it`;

export const SECRET_SPELLINGS: readonly SecretSpelling[] = [
  { name: "as it is", write: (secret) => secret },
  { name: "JSON", write: json },
  { name: "JSON in JSON", write: (secret) => json(json(secret)) },
  { name: "JSON in JSON in JSON", write: (secret) => json(json(json(secret))) },
  { name: "JSON with escaped slashes", write: (secret) => json(secret).replaceAll("/", "\\/") },
  {
    name: "JSON in ASCII",
    write: (secret) => json(secret).replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hex4(unit)}`),
  },
  { name: "JSON with every character as a code", write: (secret) => everyUnit(secret, (unit) => `\\u${hex4(unit)}`) },
  {
    name: "JSON with every character as a code, in capitals",
    write: (secret) => everyUnit(secret, (unit) => `\\u${hex4(unit).toUpperCase()}`),
  },
  {
    name: "JSON in JSON, in ASCII",
    write: (secret) => json(json(secret).replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hex4(unit)}`)),
  },
  { name: "percent-encoded (`encodeURIComponent`)", write: encodeURIComponent },
  { name: "percent-encoded, slashes left (`quote`)", write: (secret) => percent(secret).replaceAll("%2F", "/") },
  { name: "percent-encoded, signs of addresses left (`encodeURI`)", write: encodeURI },
  { name: "percent-encoded in small letters", write: (secret) => lower(percent(secret), /%../g) },
  { name: "percent-encoded in mixed case", write: (secret) => mixed(percent(secret)) },
  {
    name: "percent-encoded, every byte",
    write: (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  },
  { name: "percent-encoded twice", write: (secret) => percent(percent(secret)) },
  { name: "a form (`+` for a space)", write: (secret) => new URLSearchParams({ s: secret }).toString().slice(2) },
  { name: "HTML, named", write: named },
  {
    name: "HTML, decimal",
    write: (secret) => secret.replaceAll(/[^\w\ud800-\udfff]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  },
  {
    name: "HTML, decimal with zeros",
    write: (secret) => secret.replaceAll(/[&<>"']/g, (sign) => `&#0${sign.charCodeAt(0)};`),
  },
  {
    name: "HTML, hexadecimal",
    write: (secret) => secret.replaceAll(/[^\w\ud800-\udfff]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
  },
  {
    name: "HTML, hexadecimal in capitals",
    write: (secret) =>
      secret.replaceAll(/[^\w\ud800-\udfff]/g, (sign) => `&#X${sign.charCodeAt(0).toString(16).toUpperCase()};`),
  },
  { name: "HTML, every character", write: (secret) => everyCharacter(secret, (code) => `&#${code};`) },
  { name: "HTML twice", write: (secret) => named(named(secret)) },
  { name: "HTML in JSON", write: (secret) => json(named(secret)) },
  { name: "JSON, percent-encoded", write: (secret) => encodeURIComponent(json(secret)) },
  { name: "hexadecimal", write: (secret) => Buffer.from(secret).toString("hex") },
  { name: "hexadecimal in capitals", write: (secret) => Buffer.from(secret).toString("hex").toUpperCase() },
  {
    name: "hexadecimal in mixed case",
    write: (secret) =>
      Buffer.from(secret)
        .toString("hex")
        .replaceAll(/[a-f](?=.?[0-9])/g, (digit) => digit.toUpperCase()),
  },
  { name: "base64", write: base64, isInside: true },
  ...[0, 1, 2].map((shift): SecretSpelling => ({
    name: `base64 of a longer text, ${["first", "second", "third"][shift]} place of a group`,
    write: (secret) => base64(inside(secret, shift)),
    isInside: true,
  })),
  ...[0, 1, 2].map((shift): SecretSpelling => ({
    name: `base64url of a longer text, ${["first", "second", "third"][shift]} place of a group`,
    write: (secret) => base64url(inside(secret, shift)),
    isInside: true,
  })),
  ...[64, 76].map((width): SecretSpelling => ({
    name: `base64 in lines of ${width}`,
    write: (secret) => wrap(base64(inside(secret, 1, width)), width),
    isInside: true,
  })),
  ...[64, 76].map((width): SecretSpelling => ({
    name: `base64url in lines of ${width}`,
    write: (secret) => wrap(base64url(inside(secret, 2, width)), width),
    isInside: true,
  })),
  {
    name: "base64 in lines that end with CR LF",
    write: (secret) => wrap(base64(inside(secret, 0)), 76, "\r\n"),
    isInside: true,
  },
  {
    name: "base64 in short lines with spaces before them",
    write: (secret) => wrap(base64(inside(secret, 0)), 5, "\n  "),
    isInside: true,
  },
  {
    name: "base64 in lines, in JSON",
    write: (secret) => json(wrap(base64(inside(secret, 2, 64)), 64)),
    isInside: true,
  },
  { name: "base64 in an address", write: (secret) => encodeURIComponent(base64(inside(secret, 1))), isInside: true },
  { name: "base64 of JSON", write: (secret) => base64(JSON.stringify({ a: secret })), isInside: true },
];

/** What no table could cover: named, so that nobody relies on it. */
export const NOT_FOUND: readonly string[] = [
  "backwards, enciphered, hashed, compressed or in another case",
  "cut short, or in pieces with other text between them",
  "base64 or hexadecimal of anything but the secret as it is or in JSON (such as base64 of base64), or with other signs between than line breaks",
  "escaped more than three times over, or once in each of more than four ways",
  "escaped right after signs that make another escape of its first characters (`%` before a secret that begins with `41`)",
  "base32, base58, base85, quoted-printable, punycode, `\\x41`, octal codes, UTF-7 and UTF-16",
  "names of HTML characters beyond ASCII signs and Latin-1, and those without `;`",
  "letters with marks that are composed otherwise (NFC and NFD)",
];

/**
 * For SECURITY.md; `
 * ` means a line break.
 */
export function tabulateSpellings(secret: string): string {
  const rows = SECRET_SPELLINGS.map(({ name, write }) => {
    const written = write(secret).replaceAll(/\r?\n/g, "⏎");
    return `| ${name} | \`\` ${written.length > 90 ? `${written.slice(0, 90)}…` : written} \`\` |`;
  });
  return [
    "| spelling | example |",
    "|---|---|",
    ...rows,
    "",
    "Not found:",
    "",
    ...NOT_FOUND.map((text) => `- ${text}`),
  ].join("\n");
}
