"use client";

import Link from "next/link";
import { describeNeeds, type Needs } from "./needs";
import { NavCount } from "./nav-count";
import { printWaiting, useNeeds } from "./waiting";

/** How many runs need this person outside the inbox, as a number where there is no room for more. */
export function NeedsCount({ needs: made, className }: { needs: Needs; className: string }) {
  const needs = describeNeeds(useNeeds(made));
  return needs && <NavCount count={needs.count} words={needs.words} className={className} />;
}

/** The same in words, as a link to these runs. */
export function NeedsLink({ needs: made, className }: { needs: Needs; className: string }) {
  const needs = describeNeeds(useNeeds(made));
  return needs && <Link href={needs.href} className={className}>{`${printWaiting(needs.count)} ${needs.words}`}</Link>;
}

/** Above the list of all runs, at every width. */
export function NeedsNotice({ needs: made }: { needs: Needs }) {
  const needs = describeNeeds(useNeeds(made));
  return (
    needs && (
      <p className="flex flex-wrap gap-x-3 border-b border-line bg-high-soft px-4 py-2 text-sm text-ink-2 tablet:px-6 print:hidden">
        <span>
          <strong className="font-medium text-ink">
            {needs.count === 1 ? "One run needs a person" : `${printWaiting(needs.count)} runs need a person`}:
          </strong>{" "}
          {needs.sentence}.
        </span>
        <Link href={needs.href} className="text-accent underline underline-offset-3">
          {needs.count === 1 ? "Show it" : "Show them"}
        </Link>
      </p>
    )
  );
}
