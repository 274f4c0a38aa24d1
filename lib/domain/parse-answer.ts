/** Reads a model's final text as the object that a step's output is. */

/** With a schema the text must be a JSON object, in a code fence or not; without one, any text will do and stands under `text`. */
export function parseAnswer(text: string, wantsJson: boolean): { ok: true; answer: Record<string, unknown> } | { ok: false; problem: string } {
  const json = findJson(text);
  if (json !== null) return { ok: true, answer: json };
  if (!wantsJson) return { ok: true, answer: { text } };
  return { ok: false, problem: "The answer must be one JSON object and nothing else." };
}

function findJson(text: string): Record<string, unknown> | null {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text);
  try {
    const value: unknown = JSON.parse(fenced?.[1] ?? text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
