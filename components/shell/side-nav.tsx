"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { Seal } from "@/components/ui/seal";
import { type DestinationName, isWithin, listDestinations } from "./destinations";
import { LinkWorking } from "./link-working";
import { UntrustedCount } from "./nav-count";
import type { Needs } from "./needs";
import { NeedsCount, NeedsLink } from "./needs-count";
import { PaletteButton } from "./palette-button";
import { WaitingCount } from "./waiting-count";

const linkClass =
  "relative flex items-center gap-2.5 rounded-[6px] px-2 py-1.5 text-ink-2 transition-colors hover:text-ink aria-[current=page]:bg-panel aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:shadow-rest max-wide:flex-col max-wide:gap-1 max-wide:px-0.5 max-wide:py-2 max-wide:text-2xs [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.7] max-wide:[&_svg]:size-4.5";

const countClass = "top-2 right-2 max-wide:top-1 max-wide:right-auto max-wide:left-[calc(50%+11px)]";

const needsClass =
  "mt-0.5 mb-1 ml-8.5 flex min-h-6 w-fit items-center rounded-[6px] px-1 text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:text-ink hover:decoration-ink max-wide:hidden";

const searchClass =
  "mb-2 flex items-center gap-2.5 rounded-[6px] border border-line bg-paper px-2 py-1 text-sm text-ink-2 hover:text-ink max-wide:mx-1 max-wide:justify-center max-wide:px-0 max-wide:py-2 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.7]";

/** The column at the left: words beside icons, and under 1180 px small words below them. */
export function SideNav({
  destinations,
  waiting,
  needs,
  untrusted,
  foot,
}: {
  destinations: readonly DestinationName[];
  waiting: number;
  needs: Needs;
  untrusted: number;
  foot: ReactNode;
}) {
  const pathname = usePathname();
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 z-20 flex h-dvh flex-col gap-0.5 overflow-y-auto border-r border-line bg-sunken px-2.5 pt-3.5 pb-2.5 max-wide:px-1.5 max-tablet:hidden"
    >
      <Link
        href="/inbox"
        className="mb-3 flex items-center gap-2.5 rounded-[6px] px-2 py-1 font-semibold tracking-[-0.01em] max-wide:justify-center"
      >
        <Seal />
        <span className="max-wide:sr-only">Kimitsu</span>
      </Link>
      <PaletteButton withKey className={searchClass} />
      <ul className="grid gap-0.5">
        {listDestinations(destinations).map(({ href, label, icon: Icon }) => (
          <li key={href} className="relative">
            <Link href={href} aria-current={isWithin(pathname, href) ? "page" : undefined} className={linkClass}>
              <Icon aria-hidden />
              {label}
              <LinkWorking />
            </Link>
            {label === "Inbox" ? <WaitingCount count={waiting} className={countClass} /> : null}
            {label === "History" ? (
              <>
                <NeedsCount needs={needs} className={`wide:hidden ${countClass}`} />
                <NeedsLink needs={needs} className={needsClass} />
              </>
            ) : null}
            {label === "Tools" ? <UntrustedCount count={untrusted} className={countClass} /> : null}
          </li>
        ))}
      </ul>
      <div data-foot className="mt-auto border-t border-line pt-2.5">
        {foot}
      </div>
    </nav>
  );
}
