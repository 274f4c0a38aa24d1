/** Finds where a short text shares a substring with long ones. */

const BASE = 257;
const FILTER_SIZE = 1 << 16;

/**
 * Starts of all substrings of `length` characters of `text` that occur in one of the sources. A request can have
 * megabytes and must not block the process for long, so the sources are read once, with a rolling hash.
 */
export function findShared(text: string, sources: readonly string[], length: number): number[] {
  const wanted = new Map<string, number[]>();
  for (let at = 0; at + length <= text.length; at++) {
    const run = text.slice(at, at + length);
    wanted.set(run, [...(wanted.get(run) ?? []), at]);
  }
  // How many wanted substrings have a hash in each slot.
  const filter = new Uint32Array(FILTER_SIZE);
  for (const run of wanted.keys()) filter[slotOf(hash(run, length))]! += 1;
  const found: number[] = [];
  for (const source of sources) {
    for (const at of listCandidates(source, filter, length)) {
      const run = source.slice(at, at + length);
      const starts = wanted.get(run);
      if (!starts) continue;
      found.push(...starts);
      // A substring that repeats through the whole source is looked up once.
      wanted.delete(run);
      filter[slotOf(hash(run, length))]! -= 1;
    }
  }
  return found;
}

/** Positions whose substring may be wanted: all that are, and a few that are not. */
function* listCandidates(source: string, filter: Uint32Array, length: number): Generator<number> {
  if (source.length < length) return;
  let leaving = 1;
  for (let count = 1; count < length; count++) leaving = Math.imul(leaving, BASE);
  let rolling = hash(source, length);
  for (let at = 0; ; at++) {
    if (filter[slotOf(rolling)] !== 0) yield at;
    if (at + length >= source.length) return;
    rolling =
      (Math.imul(rolling - Math.imul(source.charCodeAt(at), leaving), BASE) + source.charCodeAt(at + length)) | 0;
  }
}

function hash(text: string, length: number): number {
  let value = 0;
  for (let at = 0; at < length; at++) value = (Math.imul(value, BASE) + text.charCodeAt(at)) | 0;
  return value;
}

function slotOf(value: number): number {
  return (value ^ (value >>> 16)) & (FILTER_SIZE - 1);
}
