import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names";

/** A table on paper: hairlines between rows, no box. Too wide for the screen, it scrolls by itself, by keyboard too. */
export function Table({
  label,
  head,
  children,
  isFixed = false,
}: {
  label: string;
  head: ReactNode;
  children: ReactNode;
  /** The head gives the widths, and what does not fit is clipped. */ isFixed?: boolean;
}) {
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
      <table className={classNames("w-full border-collapse text-left", isFixed && "table-fixed")}>
        <thead>
          <tr className="border-b border-line">{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Th({ className, ...rest }: ComponentProps<"th">) {
  return (
    <th
      scope="col"
      className={classNames(
        "h-9 px-3 text-sm font-medium whitespace-nowrap text-ink-3 first:pl-4 last:pr-4 tablet:first:pl-6 tablet:last:pr-6",
        className,
      )}
      {...rest}
    />
  );
}

export function Td({ className, ...rest }: ComponentProps<"td">) {
  return (
    <td
      className={classNames(
        "px-3 py-2.5 align-middle first:pl-4 last:pr-4 tablet:first:pl-6 tablet:last:pr-6",
        className,
      )}
      {...rest}
    />
  );
}

export function Row({ className, ...rest }: ComponentProps<"tr">) {
  return <tr className={classNames("border-b border-line", className)} {...rest} />;
}
