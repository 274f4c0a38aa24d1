/**
 * Finds known secrets in text, in the spellings in which servers give them back: as they are, escaped for JSON,
 * addresses, forms or HTML, also several times over, in hexadecimal, and in base64 at any alignment (as in `Basic
 * base64(user:secret)`), in lines or not. SECURITY.md has the table. Built at the moment of use and discarded after it;
 * the values are never stored.
 */
import { readText, type TextReading } from "./text-reading";

/** Shorter values would occur everywhere by chance; they are only recognised when they are the whole text. */
const ANYWHERE_LENGTH_MIN = 4;
/** A piece of base64 shorter than this is too common to be evidence. */
const BASE64_LENGTH_MIN = 8;
/** A secret that consists of escapes may read as an ordinary word once they are undone. */
const UNDONE_LENGTH_MIN = 8;

export interface SecretMatcher {
  /** True when the text is nothing but a secret. */
  equals(text: string): boolean;
  /**
   * Replaces every occurrence by what `replacement` returns for the secret; returns the text itself when there is none.
   */
  replaceAll(text: string, replacement: (secret: string) => string): string;
}

/** What is searched for, and the secret that it belongs to. */
type Needles = readonly { text: string; secret: string }[];

export function createSecretMatcher(secrets: Iterable<string>): SecretMatcher {
  const values = [...new Set(secrets)].filter((secret) => secret !== "");
  const long = values.filter((secret) => secret.length >= ANYWHERE_LENGTH_MIN);
  const needlesOf = (write: (secret: string) => string[]): Needles =>
    long.flatMap((secret) => [...new Set(write(secret))].map((text) => ({ text, secret })));
  const needles = {
    plain: needlesOf(plainForms),
    base64: needlesOf(base64Forms),
    hex: needlesOf((secret) => [Buffer.from(secret).toString("hex")]),
  };
  return {
    equals: (text) => values.includes(text),
    replaceAll: (text, replacement) =>
      values.includes(text)
        ? replacement(text)
        : long.length === 0
          ? text
          : replaceFound(text, findAll(text, needles), replacement),
  };
}

interface Found {
  start: number;
  end: number;
  secret: string;
}

function findAll(text: string, needles: { plain: Needles; base64: Needles; hex: Needles }): Found[] {
  const { plain, coded } = readText(text);
  const found: Found[] = [];
  for (const reading of plain) find(reading, needles.plain, found);
  for (const reading of coded) {
    const joined = reading.joinLines();
    find(
      joined.map((each) => each.replaceAll("-", "+").replaceAll("_", "/")),
      needles.base64,
      found,
    );
    find(joined.map(toLowerCase), needles.hex, found);
  }
  return found;
}

/** A few letters get longer in lower case; then only hexadecimal digits are lowered. */
function toLowerCase(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replaceAll(/[A-F]/g, (digit) => digit.toLowerCase());
}

function find(reading: TextReading, needles: Needles, found: Found[]): void {
  for (const { text, secret } of needles) {
    for (let start = reading.text.indexOf(text); start >= 0; start = reading.text.indexOf(text, start + text.length)) {
      found.push({ ...reading.locate(start, start + text.length), secret });
    }
  }
}

/**
 * Overlapping matches are removed as one and named after the longest, so that a secret within a longer one does not
 * leave the rest of it.
 */
function replaceFound(text: string, found: Found[], replacement: (secret: string) => string): string {
  if (found.length === 0) return text;
  const merged: (Found & { longest: number })[] = [];
  for (const { start, end, secret } of found.toSorted(
    (left, right) => left.start - right.start || right.end - left.end,
  )) {
    const last = merged.at(-1);
    if (last === undefined || start >= last.end) merged.push({ start, end, secret, longest: end - start });
    else {
      if (end - start > last.longest) Object.assign(last, { secret, longest: end - start });
      last.end = Math.max(last.end, end);
    }
  }
  const pieces = merged.map(
    ({ start, secret }, index) => text.slice(merged[index - 1]?.end ?? 0, start) + replacement(secret),
  );
  return pieces.join("") + text.slice(merged.at(-1)!.end);
}

/** Finds what either finds; what the first has removed is gone for the second. */
export function joinMatchers(first: SecretMatcher, second: SecretMatcher): SecretMatcher {
  return {
    equals: (text) => first.equals(text) || second.equals(text),
    replaceAll: (text, replacement) => second.replaceAll(first.replaceAll(text, replacement), replacement),
  };
}

/**
 * Forms write a space as `+`, and a line break as two characters. What looks like an escape in the secret itself is
 * undone together with those around it, so the secret is also searched for in that form.
 */
function plainForms(secret: string): string[] {
  const lines = secret.replaceAll(/\r?\n/g, "\r\n");
  const undone = readText(secret)
    .plain.map(({ text }) => text)
    .filter((text) => text.length >= UNDONE_LENGTH_MIN);
  return [secret, lines, secret.replaceAll(" ", "+"), lines.replaceAll(" ", "+"), ...undone];
}

/** Of the secret, and of its JSON form, because JSON may be encoded as a whole. */
function base64Forms(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)].flatMap((text) => base64Cores(Buffer.from(text, "utf8")));
}

/** The characters of the base64 of any text that contains the bytes, for each of the three alignments. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const isCut = (shift + bytes.length) % 3 !== 0;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, isCut ? -1 : undefined);
    return core.length < BASE64_LENGTH_MIN ? [] : [core];
  });
}
