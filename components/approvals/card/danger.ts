import type { Tone } from "@/components/ui/tag";
import type { DangerLevel } from "@/lib/policy/danger";

/** The word is always shown beside the colour. */
export const DANGER_WORDS: Record<DangerLevel, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  safe: "Safe",
};

export const DANGER_TONES: Record<DangerLevel, Tone> = {
  critical: "critical",
  high: "high",
  medium: "medium",
  low: "plain",
  safe: "plain",
};

export const DANGER_BORDERS: Record<DangerLevel, string> = {
  critical: "border-l-critical",
  high: "border-l-high",
  medium: "border-l-medium",
  low: "border-l-line-strong",
  safe: "border-l-line-strong",
};
