/** Reads a model's final text as the object that a step's output is. */
import { mapText, storableText } from "./tool-text";

/** With a schema the text must be a JSON object, in a code fence or not; without one, any text will do and stands under `text`. */
export function parseAnswer(text: string, wantsJson: boolean): { ok: true; answer: Record<string, unknown> } | { ok: false; problem: string } {
  const json = findJson(text);
  if (json !== null) return { ok: true, answer: json };
  if (!wantsJson) return { ok: true, answer: { text } };
  return { ok: false, problem: "The answer must be one JSON object and nothing else." };
}

function findJson(text: string): Record<string, unknown> | null {
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  // Most answers are prose; an error that is thrown and caught costs far more than this look.
  if (!json.trimStart().startsWith("{")) return null;
  try {
    // What the text writes as an escape becomes a character only here.
    return mapText(JSON.parse(json), storableText) as Record<string, unknown>;
  } catch {
    return null;
  }
}
