import Link from "next/link";
import { LinkWorking } from "@/components/shell/link-working";
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
        <Link href={firstHref} className={buttonClass({ size: "small" }, "relative hover:bg-sunken")}>
          First page
          <LinkWorking />
        </Link>
      ) : null}
      {nextHref ? (
        <Link href={nextHref} data-page="next" className={buttonClass({ size: "small" }, "relative hover:bg-sunken")}>
          Next page
          <LinkWorking />
        </Link>
      ) : null}
    </nav>
  );
}
