import { z } from "zod";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNIT_MS;

/** Timers are rows, so a year costs nothing; anything longer is far more likely a typing error than intended. */
const DURATION_MAX_MS = 365 * UNIT_MS.d;

export interface DurationBounds {
  /** Shortest duration that is accepted; 1 ms by default. */
  minMs?: number;
  /** Longest duration that is accepted; 365 days by default. */
  maxMs?: number;
}

export type DurationResult = { ok: true; ms: number } | { ok: false; message: string };

const FORM = 'a whole number and a unit (ms, s, m, h, d), such as "45s", "30m", "2h" or "7d"';

/** Reads "45s", "30m", "2h", "7d" or "250ms". Says what would be right when it cannot. */
export function readDuration(text: unknown, bounds: DurationBounds = {}): DurationResult {
  if (typeof text === "number") {
    return { ok: false, message: `the number ${text} has no unit; write ${FORM}` };
  }
  if (typeof text !== "string") return { ok: false, message: `expected ${FORM}` };
  const match = /^([0-9]{1,15})(ms|s|m|h|d)$/.exec(text);
  if (!match) return { ok: false, message: `${JSON.stringify(text.slice(0, 40))} is not a duration; write ${FORM}` };
  const ms = Number(match[1]) * UNIT_MS[match[2] as Unit];
  const minMs = bounds.minMs ?? 1;
  const maxMs = bounds.maxMs ?? DURATION_MAX_MS;
  if (ms < minMs) return { ok: false, message: `"${text}" is too short; the shortest is "${formatDuration(minMs)}"` };
  if (ms > maxMs) return { ok: false, message: `"${text}" is too long; the longest is "${formatDuration(maxMs)}"` };
  return { ok: true, ms };
}

/** The inverse of reading: the largest unit that divides it, so 5400000 is "90m" and never a rounded "1h". */
export function formatDuration(ms: number): string {
  const units = (Object.keys(UNIT_MS) as Unit[]).reverse();
  const unit = units.find((candidate) => ms !== 0 && ms % UNIT_MS[candidate] === 0) ?? "ms";
  return `${ms / UNIT_MS[unit]}${unit}`;
}

/** A YAML duration; what comes out of the parse is milliseconds. */
export function durationSchema(bounds: DurationBounds = {}) {
  return z
    .string({ error: (issue) => describeRefusal(issue.input, bounds) })
    .transform((text, context) => {
      const result = readDuration(text, bounds);
      if (result.ok) return result.ms;
      context.addIssue({ code: "custom", message: result.message, input: text });
      return z.NEVER;
    })
    .describe('A duration: a whole number and a unit, "45s", "30m", "2h" or "7d"');
}

function describeRefusal(input: unknown, bounds: DurationBounds): string {
  const result = readDuration(input, bounds);
  return result.ok ? `expected ${FORM}` : result.message;
}
