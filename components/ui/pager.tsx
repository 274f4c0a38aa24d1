import Link from "next/link";
import { buttonClass } from "./button";
import { classNames } from "./class-names";

interface Props {
  /** Where the first page is; absent when this is it. */
  firstHref?: string;
  /** Where the next page is; absent on the last. */
  nextHref?: string;
  label: string;
  /** How far from the edge, where it does not belong to the whole page. */
  className?: string;
}

/** Keyset pages go onward only; the browser's own back button goes back. */
export function Pager({ firstHref, nextHref, label, className = "px-4 py-4 tablet:px-6" }: Props) {
  if (!firstHref && !nextHref) return null;
  return (
    <nav data-foot aria-label={label} className={classNames("flex gap-2", className)}>
      {firstHref ? (
        <Link href={firstHref} className={buttonClass({ size: "small" }, "hover:bg-sunken")}>
          First page
        </Link>
      ) : null}
      {nextHref ? (
        <Link href={nextHref} className={buttonClass({ size: "small" }, "hover:bg-sunken")}>
          Next page
        </Link>
      ) : null}
    </nav>
  );
}
