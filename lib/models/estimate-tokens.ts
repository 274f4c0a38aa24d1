/**
 * An upper estimate of a text's tokens, close enough for a budget and without a tokenizer. It counts the pieces that
 * tokenizers begin with (words, numbers, punctuation, single characters of other scripts), with weights measured
 * against the tokenizers named in the test.
 */
import type { Provider } from "@/lib/config/gateway-schema";

interface Tokenizer {
  /** On top of the measured weights, for tokenizers that split text more finely than those that could be measured. */
  margin: number;
  /** Digits of a number in one token. */
  digits: number;
  /** The provider's own instructions for tool use, added once when tools are offered. */
  toolUse: number;
}

/**
 * Anthropic's newer tokenizers produce up to a third more tokens than the published one; many open models give each
 * digit a token.
 */
const TOKENIZERS: Record<Provider["type"], Tokenizer> = {
  openai: { margin: 1.1, digits: 3, toolUse: 32 },
  scripted: { margin: 1.1, digits: 3, toolUse: 0 },
  anthropic: { margin: 1.5, digits: 2, toolUse: 700 },
  "openai-compatible": { margin: 1.2, digits: 1, toolUse: 256 },
};

/** Cheap for texts of a megabyte: one pass, and no string is built. */
export function estimateTokens(text: string, provider: Provider["type"]): number {
  const { margin, digits } = TOKENIZERS[provider];
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += weigh(piece, digits);
  return Math.ceil(tokens * margin);
}

export function estimateToolUse(provider: Provider["type"]): number {
  return TOKENIZERS[provider].toolUse;
}

/** A single space belongs to the word after it. */
const PIECES = /[A-Za-z0-9]+|\n+|[ \t]{2,}|[!-/:-@[-`{-~]+|\p{Cc}|\P{ASCII}/gu;
const WORDS = /[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g;

function weigh(piece: string, digits: number): number {
  const code = piece.codePointAt(0) ?? 0;
  if (code >= 0x80) return weighCharacter(code);
  if (isAlphanumeric(code)) {
    // Keys, hashes and the like contain no words that a tokenizer could know.
    if (piece.length >= 6 && /[0-9]/.test(piece) && /[A-Za-z]/.test(piece)) return piece.length * 0.75;
    let tokens = 0;
    for (const [word] of piece.matchAll(WORDS)) tokens += weighWord(word, digits);
    return tokens;
  }
  if (code === 0x0a) return 1 + (piece.length - 1) / 4;
  if (code === 0x20 || code === 0x09) return 1;
  // Punctuation of JSON comes in the same groups again and again, so tokenizers know them.
  return Math.max(1, piece.length * (/^[{}[\]":,]+$/.test(piece) ? 0.45 : 0.65));
}

function weighWord(word: string, digits: number): number {
  const code = word.codePointAt(0) ?? 0;
  if (code <= 0x39) return Math.ceil(word.length / digits) + 0.5;
  if (!/[a-z]/.test(word)) return Math.max(1, word.length / 4);
  const isPronounceable = word.length < 4 || /[aeiouy]/i.test(word);
  return Math.max(1, isPronounceable ? word.length / 4.5 : word.length / 1.7);
}

/** Tokens of one character, by the first code point after its range. */
const SCRIPTS: readonly (readonly [end: number, tokens: number])[] = [
  [0x250, 0.9], // Latin with accents
  [0x370, 2],
  [0x530, 0.5], // Greek, Cyrillic
  [0x980, 1.2], // Hebrew, Arabic, Devanagari
  [0x2010, 2], // other alphabets of Asia
  [0x2028, 1], // dashes and quotation marks
  [0x2e80, 2.5], // symbols
  [0xa000, 1.2], // Chinese, Japanese
  [0xac00, 2],
  [0xd7b0, 1.2], // Korean
  [0xf900, 3],
  [0xfb00, 1.2],
  [0xff00, 3],
  [0xfff0, 1.2], // full-width forms
  [0x10000, 3],
];
/** Emoji and rare characters. */
const ASTRAL_TOKENS = 3.2;

function weighCharacter(code: number): number {
  return SCRIPTS.find(([end]) => code < end)?.[1] ?? ASTRAL_TOKENS;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
