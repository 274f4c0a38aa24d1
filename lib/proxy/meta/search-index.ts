/**
 * Full-text search over items: BM25F, which counts a rare word more than a frequent one, a word of the name more than
 * one of the description, and a word in a short text more than in a long one. Pure; built once for each list.
 */
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { MetaItem } from "./meta-source";
import { describeParameters } from "./parameter-text";
import { tokenize, tokenizeQuery } from "./tokenize";

/** How much a word counts in each field, and how far the length of the field lowers it. */
const FIELDS = {
  name: { weight: 4, lengthShare: 0.5 },
  title: { weight: 2, lengthShare: 0.5 },
  description: { weight: 1.5, lengthShare: 0.6 },
  server: { weight: 1, lengthShare: 0 },
  parameterNames: { weight: 0.8, lengthShare: 0.5 },
  parameterTexts: { weight: 0.4, lengthShare: 0.6 },
} as const;
type Field = keyof typeof FIELDS;
const FIELD_NAMES = Object.keys(FIELDS) as Field[];
/** A word that is repeated counts less each time; lower means sooner. */
const SATURATION = 1.2;
/** `repo` finds `repository`, for less than the word itself. */
const PREFIX_LENGTH_MIN = 3;
const PREFIX_SHARE = 0.7;

type Words = ReadonlyMap<string, number>;
type FieldWords = Readonly<Record<Field, { words: Words; length: number }>>;

export interface SearchIndex {
  /** Positions of all items that have a word of the text, best first; equal ones in the order of the list. */
  find(text: string): number[];
}

const indexes = new WeakMap<readonly MetaItem[], SearchIndex>();

export function indexOf(items: readonly MetaItem[]): SearchIndex {
  const known = indexes.get(items) ?? createIndex(items);
  indexes.set(items, known);
  return known;
}

interface Posting {
  position: number;
  /** Frequency of the word in the item, weighted by field and its length. */
  frequency: number;
}

function createIndex(items: readonly MetaItem[]): SearchIndex {
  const documents = items.map(readWords);
  const means = Object.fromEntries(
    FIELD_NAMES.map((field) => [
      field,
      documents.reduce((sum, document) => sum + document[field].length, 0) / Math.max(1, documents.length) || 1,
    ]),
  ) as Record<Field, number>;
  const postings = new Map<string, Posting[]>();
  for (const [position, document] of documents.entries()) {
    for (const [word, frequency] of weigh(document, means)) {
      const known = postings.get(word);
      if (known) known.push({ position, frequency });
      else postings.set(word, [{ position, frequency }]);
    }
  }
  const vocabulary = [...postings.keys()].sort();
  return { find: (text) => rank(tokenizeQuery(text), { postings, vocabulary, count: items.length }) };
}

function weigh(document: FieldWords, means: Readonly<Record<Field, number>>): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of FIELD_NAMES) {
    const { weight, lengthShare } = FIELDS[field];
    const { words, length } = document[field];
    const factor = weight / (1 - lengthShare + (lengthShare * length) / means[field]);
    for (const [word, count] of words) weights.set(word, (weights.get(word) ?? 0) + count * factor);
  }
  return weights;
}

interface Postings {
  postings: ReadonlyMap<string, readonly Posting[]>;
  vocabulary: readonly string[];
  count: number;
}

function rank(words: readonly string[], index: Postings): number[] {
  const scores = new Map<number, number>();
  for (const word of words) {
    for (const [position, score] of scoreWord(word, index)) scores.set(position, (scores.get(position) ?? 0) + score);
  }
  return [...scores].toSorted((left, right) => right[1] - left[1] || left[0] - right[0]).map(([position]) => position);
}

/** Of all words that begin with this one, an item counts the best. */
function scoreWord(word: string, { postings, vocabulary, count }: Postings): Map<number, number> {
  const best = new Map<number, number>();
  for (const found of listExpansions(word, vocabulary)) {
    const list = postings.get(found)!;
    const rarity = Math.log(1 + (count - list.length + 0.5) / (list.length + 0.5));
    const share = found === word ? 1 : PREFIX_SHARE * (word.length / found.length);
    for (const { position, frequency } of list) {
      const score = (share * rarity * frequency) / (SATURATION + frequency);
      if (score > (best.get(position) ?? 0)) best.set(position, score);
    }
  }
  return best;
}

function listExpansions(word: string, vocabulary: readonly string[]): string[] {
  const start = lowerBound(vocabulary, word);
  if (word.length < PREFIX_LENGTH_MIN) return vocabulary[start] === word ? [word] : [];
  let end = start;
  while (end < vocabulary.length && vocabulary[end]!.startsWith(word)) end += 1;
  return vocabulary.slice(start, end);
}

function lowerBound(sorted: readonly string[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A definition outlives the list that it is in, because equal definitions stay the same object. */
const known = new WeakMap<ToolDefinition, Omit<FieldWords, "server">>();

function readWords({ definition, server }: MetaItem): FieldWords {
  const own = known.get(definition) ?? readDefinition(definition);
  known.set(definition, own);
  return { ...own, server: countWords(server ?? "") };
}

function readDefinition({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: ToolDefinition): Omit<FieldWords, "server"> {
  const { names, texts } = describeParameters(inputSchema);
  const shown = title ?? (typeof annotations?.title === "string" ? annotations.title : "");
  return {
    name: countWords(name),
    title: countWords(shown),
    description: countWords(description ?? ""),
    parameterNames: countWords(names.join(" ")),
    parameterTexts: countWords(texts.join(" ")),
  };
}

function countWords(text: string): { words: Words; length: number } {
  const words = new Map<string, number>();
  const all = tokenize(text);
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1);
  return { words, length: all.length };
}
