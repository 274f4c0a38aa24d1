"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useRef } from "react";
import { BookOpen, Ellipsis, LogOut } from "lucide-react";
import { ThemePicker } from "@/components/theme/theme-picker";
import type { SavePreferences, Theme } from "@/components/theme/theme";
import { Avatar } from "@/components/ui/avatar";
import { type DestinationName, isWithin, listDestinations } from "./destinations";
import { LinkWorking } from "./link-working";
import { UntrustedCount } from "./nav-count";
import type { Needs } from "./needs";
import { NeedsCount } from "./needs-count";
import { PaletteButton } from "./palette-button";
import { describePerson, type Person } from "./person";
import { WaitingCount } from "./waiting-count";

const tabClass =
  "relative flex h-14 w-full flex-col items-center justify-center gap-0.5 text-2xs text-ink-2 aria-[current=page]:font-medium aria-[current=page]:text-accent [&_svg]:size-5 [&_svg]:stroke-[1.7]";
const countClass = "top-1 left-[calc(50%+8px)]";
const rowClass =
  "flex h-12 w-full items-center gap-3 rounded-md px-3 aria-[current=page]:bg-sunken aria-[current=page]:font-medium [&_svg]:size-4.5 [&_svg]:stroke-[1.7]";

interface Props {
  destinations: readonly DestinationName[];
  /** Calls that wait for a person. */
  waiting: number;
  /** Runs that need this person outside the inbox. */
  needs: Needs;
  /** Tools that are not as they were trusted. */
  untrusted: number;
  person: Person;
  theme: Theme;
  save: SavePreferences;
  signOut: () => Promise<void>;
}

/**
 * The bar at a phone's foot, in the thumb's reach. "More" is a popover of the browser's own: Escape and a tap beside it
 * close it.
 */
export function PhoneBar({ destinations, waiting, needs, untrusted, person, theme, save, signOut }: Props) {
  const pathname = usePathname();
  const more = useRef<HTMLDivElement>(null);
  const shown = listDestinations(destinations);
  const hidden = shown.filter((destination) => !destination.onPhone);
  const close = () => more.current?.hidePopover();
  // A card has its own actions at the bottom edge, and a way back to the list.
  if (pathname.startsWith("/inbox/")) return null;
  return (
    <nav
      data-foot
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] tablet:hidden"
    >
      <ul className="grid grid-cols-5">
        {shown
          .filter((destination) => destination.onPhone)
          .map(({ href, label, icon: Icon }) => (
            <li key={href} className="relative">
              <Link href={href} aria-current={isWithin(pathname, href) ? "page" : undefined} className={tabClass}>
                <Icon aria-hidden />
                {label}
                <LinkWorking />
              </Link>
              {label === "Inbox" ? <WaitingCount count={waiting} className={countClass} /> : null}
              {label === "History" ? <NeedsCount needs={needs} className={countClass} /> : null}
              {label === "Tools" ? <UntrustedCount count={untrusted} className={countClass} /> : null}
            </li>
          ))}
        <li>
          <button
            type="button"
            popoverTarget="more-pages"
            className={tabClass}
            aria-current={hidden.some(({ href }) => isWithin(pathname, href)) ? "page" : undefined}
          >
            <Ellipsis aria-hidden />
            More
          </button>
        </li>
      </ul>
      <div
        ref={more}
        id="more-pages"
        popover="auto"
        className="fixed inset-x-0 top-auto bottom-0 m-0 w-full max-w-full rounded-t-lg border-t border-line-strong bg-panel p-3 pb-[calc(env(safe-area-inset-bottom)+12px)] text-ink shadow-float backdrop:bg-veil open:arrives"
      >
        <div className="flex items-center gap-3 px-3 pt-1 pb-3">
          <Avatar name={person.name} className="size-8" />
          <div className="grid min-w-0 flex-1 leading-snug">
            <span className="truncate font-medium">{person.name}</span>
            <span className="truncate text-sm text-ink-3">{describePerson(person)}</span>
          </div>
        </div>
        <ul className="grid border-y border-line py-1.5">
          <li onClickCapture={close}>
            <PaletteButton className={rowClass} />
          </li>
          {hidden.map(({ href, label, icon: Icon }) => (
            <li key={href}>
              <Link
                href={href}
                onClick={close}
                aria-current={isWithin(pathname, href) ? "page" : undefined}
                className={rowClass}
              >
                <Icon aria-hidden />
                {label}
              </Link>
            </li>
          ))}
          <li>
            <a href="/docs" className={rowClass}>
              <BookOpen aria-hidden />
              API reference
            </a>
          </li>
        </ul>
        <div className="grid gap-2 pt-3">
          <ThemePicker initial={theme} label="Theme" save={save} />
          <form action={signOut}>
            <button type="submit" className={rowClass}>
              <LogOut aria-hidden />
              Sign out
            </button>
          </form>
        </div>
      </div>
    </nav>
  );
}
