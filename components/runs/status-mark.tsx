import { classNames } from "@/components/ui/class-names";
import type { Mark } from "./run-words";

const shapes: Record<Mark, string> = {
  done: "rounded-full bg-ok",
  // A diamond: neither the circle of what went well nor the square of what failed.
  partly: "scale-90 rotate-45 rounded-[2px] bg-medium",
  // A square among circles: failures are visible without colour.
  failed: "rounded-[2px] bg-critical",
  working: "rounded-full bg-accent",
  person: "rounded-full border-2 border-high",
  idle: "rounded-full border-[1.5px] border-edge",
  none: "h-0.5 self-center rounded-full bg-edge",
};

export function StatusDot({ mark, className }: { mark: Mark; className?: string }) {
  return <span aria-hidden className={classNames("inline-block size-2.5 shrink-0", shapes[mark], className)} />;
}

/** A dot and the word it stands for. */
export function StatusMark({ mark, word, className }: { mark: Mark; word: string; className?: string }) {
  return (
    <span className={classNames("inline-flex items-center gap-2 whitespace-nowrap", className)}>
      <StatusDot mark={mark} />
      {word}
    </span>
  );
}
