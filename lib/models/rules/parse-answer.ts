/** Reads a model's final text as the object that a step's output is. */
import { mapText, storableText } from "@/lib/text/tool-text";

/**
 * With a schema the text must hold one JSON object, whatever prose is around it; without one, any text is accepted and
 * becomes `text`.
 */
export function parseAnswer(
  text: string,
  wantsJson: boolean,
): { ok: true; answer: Record<string, unknown> } | { ok: false; problem: string } {
  const json = readWhole(text) ?? (wantsJson ? readAmongWords(text) : null);
  if (json !== null) return { ok: true, answer: json };
  if (!wantsJson) return { ok: true, answer: { text } };
  return { ok: false, problem: "The answer must be one JSON object and nothing else." };
}

function readWhole(text: string): Record<string, unknown> | null {
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  // Most answers are prose; a thrown and caught error costs far more than this check.
  return json.trimStart().startsWith("{") ? parseObject(json) : null;
}

/** Null when there are two, or when one is broken: we do not guess which was meant. */
function readAmongWords(text: string): Record<string, unknown> | null {
  const opening = /\{\s*"/g;
  let found: Record<string, unknown> | null = null;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const end = findEnd(text, match.index);
    const object = end === null ? null : parseObject(text.slice(match.index, end));
    if (object === null || end === null || found !== null) return null;
    found = object;
    opening.lastIndex = end;
  }
  return found;
}

/** Where the object that begins at `start` is closed; braces in its strings do not count. */
function findEnd(text: string, start: number): number | null {
  const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === "{") depth++;
    else if (match[0] === "}" && --depth === 0) return token.lastIndex;
  }
  return null;
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    // Escapes in the text become characters only here.
    return mapText(JSON.parse(json), storableText) as Record<string, unknown>;
  } catch {
    return null;
  }
}
