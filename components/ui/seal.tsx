import { classNames } from "./class-names";

/** The mark: a K whose bar is separate from its arms, as a gate before what it lets through. */
export function Seal({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={classNames("size-5.5 shrink-0", className)}>
      <rect width="32" height="32" rx="7.5" className="fill-accent" />
      <path
        d="M11 8v16M22 8l-7.5 8 7.5 8"
        className="fill-none stroke-on-accent [stroke-linecap:round] [stroke-linejoin:round] [stroke-width:3.2]"
      />
    </svg>
  );
}
