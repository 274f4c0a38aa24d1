import type { ReactNode } from "react";
import { classNames } from "./class-names";

const tones = {
  plain: "bg-sunken text-ink-2 font-medium",
  accent: "bg-accent-soft text-accent font-semibold",
  critical: "bg-critical-soft text-critical font-semibold",
  high: "bg-high-soft text-high font-semibold",
  medium: "bg-medium-soft text-medium font-semibold",
  ok: "bg-ok-soft text-ok font-semibold",
};

export type Tone = keyof typeof tones;

/** A word on a tint. The word carries the meaning; the tint only helps to find it. */
export function Tag({ tone = "plain", className, children }: { tone?: Tone; className?: string; children: ReactNode }) {
  return (
    <span
      className={classNames(
        "inline-block rounded-[4px] px-1.75 text-2xs leading-4.5 whitespace-nowrap",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
