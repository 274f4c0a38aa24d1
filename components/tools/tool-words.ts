import type { Mark } from "@/components/runs/run-words";
import type { Tone } from "@/components/ui/tag";

type Health = "ok" | "unreachable" | "unknown";
type Pin = "pinned" | "trusted_first_use" | "new" | "changed" | "renamed";

export const HEALTH_WORDS: Record<Health, { word: string; mark: Mark }> = {
  ok: { word: "Reachable", mark: "done" },
  unreachable: { word: "Unreachable", mark: "failed" },
  unknown: { word: "Not asked yet", mark: "idle" },
};

/** In place of a list of tools, when none is known. */
export const NO_TOOLS_WORDS: Record<Health, string> = {
  ok: "It lists no tool.",
  unreachable: "Its tools are listed as soon as it answers; it is asked again every minute.",
  unknown:
    "It is asked for its tools within a minute; one whose params only a run can give, by the first run that uses it.",
};

/** `about` says what follows from it for calls. */
export const PIN_WORDS: Record<Pin, { word: string; tone: Tone; about: string }> = {
  pinned: { word: "as locked", tone: "plain", about: "The definition is the one in tools.lock.yaml." },
  trusted_first_use: {
    word: "trusted on first use",
    tone: "plain",
    about: "There is no lock file, so the first definition seen is trusted. Make one with: npx kimitsu lock",
  },
  new: {
    word: "new",
    tone: "high",
    about:
      "Nobody has locked this tool. With a lock file it cannot be called until the lock is updated; without one every call is asked.",
  },
  changed: {
    word: "changed",
    tone: "critical",
    about: "The definition is not the one that was trusted. Every call needs approval until the lock is updated.",
  },
  renamed: {
    word: "renamed",
    tone: "high",
    about: "A trusted tool has the same definition under another name. It is treated as new until the lock is updated.",
  },
};

/** Of a tool that is not in its server's last list, whatever its definition was. */
export const GONE_WORDS: { word: string; tone: Tone } = { word: "gone", tone: "medium" };

export const DANGER_TONES: Readonly<Record<string, Tone>> = {
  critical: "critical",
  high: "high",
  medium: "medium",
  low: "plain",
  safe: "plain",
};

const HINTS: readonly (readonly [string, string, string])[] = [
  ["readOnlyHint", "read-only", "writes"],
  ["destructiveHint", "destructive", "not destructive"],
  ["idempotentHint", "idempotent", "not idempotent"],
  ["openWorldHint", "reaches outside", "closed world"],
];

/** What the server declares about the tool, as text; empty when it declares nothing. */
export function describeAnnotations(annotations: Readonly<Record<string, unknown>> | null): string[] {
  return HINTS.flatMap(([name, yes, no]) => {
    const value = annotations?.[name];
    return value === true ? [yes] : value === false ? [no] : [];
  });
}
