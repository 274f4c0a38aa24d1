/** The digest that an approval binds: the same JSON gives the same digest, and what JSON cannot carry is refused. */
import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import { KimitsuError } from "@/lib/errors";

/** Deeper arguments are refused: nobody could read them on a card, and it bounds the recursion over them. */
const NESTING_MAX = 100;
/** In a pattern with the unicode flag, only a lone half matches as a surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** RFC 8785 JSON. Throws `invalid_request`, naming the place, for anything that would not reach the tool unchanged. */
export function canonicalizeArguments(value: unknown): string {
  const problem = findArgumentsProblem(value);
  if (problem !== null) throw new KimitsuError("invalid_request", problem);
  const text = canonicalize(value);
  if (text === undefined) throw new Error("unreachable: a checked value has a canonical form");
  return text;
}

/** What in the arguments would not reach the tool, or the database, unchanged; null when everything would. */
export function findArgumentsProblem(value: unknown): string | null {
  return findProblem(value, "arguments", 0);
}

/** `sha256:` and 64 hexadecimal digits over the canonical form. */
export function digestArguments(value: unknown): string {
  return digestCanonical(canonicalizeArguments(value));
}

/** For arguments that are already in their canonical form. */
export const digestCanonical = (text: string): string => `sha256:${hash("sha256", text)}`;

/** Digest of a recorded answer: says which one a person saw. */
export function digestOutput(value: unknown): string {
  return `sha256:${hash("sha256", canonicalize(value ?? null) ?? "null")}`;
}

function findProblem(value: unknown, place: string, depth: number): string | null {
  if (depth > NESTING_MAX) return `${place} is nested more than ${NESTING_MAX} deep.`;
  if (value === null || typeof value === "boolean") return null;
  if (typeof value === "string") return textProblem(value, place);
  if (typeof value === "number") return numberProblem(value, place);
  if (typeof value !== "object") return `${place} is ${typeof value}, which JSON cannot carry.`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findProblem(value[index], `${place}[${index}]`, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }
  return objectProblem(value, place, depth);
}

/** An integer beyond 2^53 has neighbours that read the same, so it may already differ from what was sent. */
function numberProblem(value: number, place: string): string | null {
  if (!Number.isFinite(value)) return `${place} is ${value}, which JSON cannot carry.`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `${place} is an integer beyond 2^53, which loses digits; give it as text.`;
  return null;
}

function textProblem(text: string, place: string): string | null {
  if (text.includes("\0")) return `${place} has a NUL character, which no database holds.`;
  return LONE_SURROGATE.test(text) ? `${place} has half of a surrogate pair, which is not text.` : null;
}

function objectProblem(value: object, place: string, depth: number): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `${place} is not a plain object.`;
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return `${place} has a key "__proto__", which programs read differently.`;
    const problem =
      textProblem(key, `${place} has a key that`) ??
      findProblem((value as Record<string, unknown>)[key], `${place}.${key}`, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
