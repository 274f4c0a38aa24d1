"use client";

import { classNames } from "@/components/ui/class-names";
import { printWaiting, useWaiting } from "./waiting";

/** How many calls wait, beside the link and not in it, so that the link keeps its name. */
export function WaitingCount({ count: made, className }: { count: number; className: string }) {
  const count = useWaiting(made);
  if (count === 0) return null;
  return (
    <span className={classNames("pointer-events-none absolute text-xs font-medium text-ink-2 tabular-nums", className)}>
      {printWaiting(count)}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
