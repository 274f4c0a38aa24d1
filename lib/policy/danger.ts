/**
 * How dangerous a tool is, from what its server declares and what the server file states; never from its name.
 * What a server says about itself can raise a level that the YAML states, and can never lower it.
 */
import { DANGER_LEVELS, type DangerLevel } from "@/lib/config/permission-schema";

export type { DangerLevel };
export { DANGER_LEVELS };

/** The `tools:` entry of a server file. */
export interface StatedFacts {
  danger?: DangerLevel | undefined;
  annotations?: { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined } | undefined;
}

export interface Danger {
  level: DangerLevel;
  /** True only when somebody states it and nobody contradicts it. */
  readOnly: boolean;
  /** Shown as a warning on the card. */
  destructive: boolean;
  /** Why the level is what it is, for the reviewer. */
  reason: string;
}

type Hint = "yes" | "no" | "silent" | "malformed";

export function isAtLeast(level: DangerLevel, threshold: DangerLevel): boolean {
  return DANGER_LEVELS.indexOf(level) >= DANGER_LEVELS.indexOf(threshold);
}

/** `declared` is whatever the server sent as `annotations`: it is untrusted. */
export function assessDanger(declared: unknown, stated: StatedFacts = {}): Danger {
  const readOnly = join(hint(declared, "readOnlyHint"), hint(stated.annotations, "readOnlyHint"), "no");
  const destructive = join(hint(declared, "destructiveHint"), hint(stated.annotations, "destructiveHint"), "yes");
  const isMalformed = readOnly === "malformed" || destructive === "malformed" || isStrange(declared);
  const derived = derive(readOnly, destructive, isMalformed);
  const level = stated.danger === undefined ? derived.level : highest(stated.danger, derived.floor);
  return {
    level,
    readOnly: readOnly === "yes" && destructive !== "yes" && !isMalformed,
    destructive: destructive === "yes",
    reason: stated.danger === level && level !== derived.floor ? `the server file says ${level}` : derived.reason,
  };
}

/**
 * `level` applies when the YAML states none: missing annotations then mean high. `floor` is what the annotations prove,
 * to raise a stated level: missing ones prove nothing.
 */
function derive(
  readOnly: Hint,
  destructive: Hint,
  isMalformed: boolean,
): { level: DangerLevel; floor: DangerLevel; reason: string } {
  if (destructive === "yes")
    return { level: "critical", floor: "critical", reason: "the tool is declared destructive" };
  if (isMalformed) return { level: "high", floor: "high", reason: "its annotations cannot be understood" };
  if (readOnly === "yes") return { level: "safe", floor: "safe", reason: "the tool is declared read-only" };
  if (destructive === "no")
    return {
      level: "medium",
      floor: readOnly === "no" ? "medium" : "safe",
      reason: "the tool is declared to write without destroying",
    };
  if (readOnly === "no")
    return { level: "high", floor: "medium", reason: "the tool is declared to write, and not whether it destroys" };
  return { level: "high", floor: "safe", reason: "no annotations say what the tool does" };
}

function hint(annotations: unknown, name: string): Hint {
  if (annotations === null || typeof annotations !== "object" || !Object.hasOwn(annotations, name)) return "silent";
  const value = (annotations as Record<string, unknown>)[name];
  if (value === undefined) return "silent";
  return typeof value === "boolean" ? (value ? "yes" : "no") : "malformed";
}

/** The stricter answer wins; a missing one leaves it to the other. */
function join(declared: Hint, stated: Hint, strict: "yes" | "no"): Hint {
  if (declared === strict || stated === strict) return strict;
  if (declared === "malformed" || stated === "malformed") return "malformed";
  return declared === "silent" ? stated : declared;
}

function isStrange(declared: unknown): boolean {
  return declared !== undefined && declared !== null && (typeof declared !== "object" || Array.isArray(declared));
}

function highest(left: DangerLevel, right: DangerLevel): DangerLevel {
  return isAtLeast(left, right) ? left : right;
}
