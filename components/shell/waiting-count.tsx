import { classNames } from "@/components/ui/class-names";

/** How many calls wait, beside the link and not in it, so that the link keeps its name. */
export function WaitingCount({ count, className }: { count: number; className: string }) {
  if (count === 0) return null;
  return (
    <span className={classNames("pointer-events-none absolute text-xs font-medium text-ink-2 tabular-nums", className)}>
      {count >= 1000 ? "999+" : count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
