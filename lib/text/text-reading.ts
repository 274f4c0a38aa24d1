/**
 * A text with its escapes undone or its lines joined, and a map back: what is found in such a reading is removed from
 * the original text. Each reading passes over the text a fixed number of times, whatever the text is.
 */
import { type EscapeKind, findEscapes } from "./escapes";

/** How many levels of escapes are undone; each is one more pass over the text. */
const PASSES = { all: 4, json: 3, percent: 2, html: 2 } as const;

type Write = (unit: string, from: number, to: number) => void;

/**
 * For every position that differs: where it is in the reading, how long it is there (0 or 1), and where it is in the
 * text below.
 */
interface Places {
  at: number[];
  length: number[];
  from: number[];
  to: number[];
}

export class TextReading {
  #places: Places | null = null;

  private constructor(
    readonly text: string,
    private readonly below: TextReading | null,
    private readonly find: (write: Write) => void,
  ) {}

  static of(text: string): TextReading {
    return new TextReading(text, null, () => {});
  }

  /** Where a part of this reading is in the original text. */
  locate(start: number, end: number): { start: number; end: number } {
    if (this.below === null) return { start, end };
    // Only made for a text in which something was found, because it is larger than the text.
    this.#places ??= listPlaces(this.find);
    return this.below.locate(startBelow(this.#places, start), endBelow(this.#places, end - 1));
  }

  /** With escapes of a kind undone once; null when there is none. */
  unescape(kind: EscapeKind | "all"): TextReading | null {
    return this.rewrite((write) => findEscapes(this.text, kind, write));
  }

  /** Without line breaks and the spaces after them, as in wrapped base64 and hexadecimal. */
  joinLines(): TextReading {
    if (!this.text.includes("\n")) return this;
    const joined = this.rewrite((write) => {
      for (const { 0: lineBreak, index } of this.text.matchAll(/\r?\n[ \t]*/g))
        write("", index, index + lineBreak.length);
    });
    return joined ?? this;
  }

  /** With the same number of other characters. */
  map(change: (text: string) => string): TextReading {
    const text = change(this.text);
    return text === this.text || text.length !== this.text.length ? this : new TextReading(text, this.below, this.find);
  }

  private rewrite(find: (write: Write) => void): TextReading | null {
    const pieces: string[] = [];
    let read = 0;
    find((unit, from, to) => {
      if (from > read) pieces.push(this.text.slice(read, from));
      pieces.push(unit);
      read = to;
    });
    if (read === 0) return null;
    pieces.push(this.text.slice(read));
    return new TextReading(pieces.join(""), this, find);
  }
}

function listPlaces(find: (write: Write) => void): Places {
  const places: Places = { at: [], length: [], from: [], to: [] };
  let [size, read] = [0, 0];
  find((unit, from, to) => {
    size += Math.max(0, from - read);
    places.at.push(size);
    places.length.push(unit.length);
    places.from.push(from);
    places.to.push(to);
    size += unit.length;
    read = to;
  });
  return places;
}

function startBelow(places: Places, index: number): number {
  const place = lastBefore(places.at, index);
  if (place < 0) return index;
  const offset = index - places.at[place]!;
  return offset < places.length[place]! ? places.from[place]! : places.to[place]! + offset - places.length[place]!;
}

function endBelow(places: Places, index: number): number {
  const place = lastBefore(places.at, index);
  if (place < 0) return index + 1;
  const offset = index - places.at[place]!;
  return offset < places.length[place]! ? places.to[place]! : places.to[place]! + offset - places.length[place]! + 1;
}

/** The last place that begins at or before an index. */
function lastBefore(at: readonly number[], index: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export interface TextReadings {
  /** Every reading of the text. */
  plain: TextReading[];
  /** The readings in which base64 and hexadecimal are searched for. */
  coded: TextReading[];
}

/**
 * A text with several kinds of escapes is also read with one kind undone alone: what looks like the others may be part
 * of a secret.
 */
export function readText(text: string): TextReadings {
  const raw = TextReading.of(text);
  const all = undo(raw, "all");
  const kinds = (
    [
      ["percent", "%"],
      ["html", "&"],
      ["json", "\\"],
    ] as const
  ).filter(([, sign]) => text.includes(sign));
  const alone = kinds.length > 1 ? kinds.flatMap(([kind]) => undo(raw, kind)) : [];
  return { plain: [raw, ...all, ...alone], coded: [raw, ...all] };
}

function undo(raw: TextReading, kind: EscapeKind | "all"): TextReading[] {
  const readings: TextReading[] = [];
  for (let next = raw.unescape(kind); next !== null && readings.length < PASSES[kind]; next = next.unescape(kind))
    readings.push(next);
  return readings;
}
