import { classNames } from "@/components/ui/class-names";
import { printWaiting } from "./waiting";

/** A number beside a link and not in it, so that the link keeps its name. */
export function NavCount({ count, words, className }: { count: number; words: string; className: string }) {
  if (count === 0) return null;
  return (
    <span className={classNames("pointer-events-none absolute text-xs font-medium text-ink-2 tabular-nums", className)}>
      {printWaiting(count)}
      <span className="sr-only"> {words}</span>
    </span>
  );
}

/** How many tools changed, or came, since an engineer has seen them. */
export function UntrustedCount({ count, className }: { count: number; className: string }) {
  return <NavCount count={count} words="not as trusted" className={classNames("font-normal text-ink-3", className)} />;
}
