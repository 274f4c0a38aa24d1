"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { isWithin } from "./destinations";
import { LinkWorking } from "./link-working";

/** Links drawn as tabs. The longest address that fits is the one that is current. */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly { href: string; label: string }[] }) {
  const pathname = usePathname();
  const current = tabs.filter(({ href }) => isWithin(pathname, href)).sort((one, other) => other.href.length - one.href.length)[0]?.href;
  return (
    <nav aria-label={label} className="border-b border-line px-2 tablet:px-4">
      <ul className="flex gap-1 overflow-x-auto">
        {tabs.map((tab) => (
          <li key={tab.href} className="shrink-0">
            <Link
              href={tab.href}
              aria-current={tab.href === current ? "page" : undefined}
              className="relative -mb-px flex h-10 items-center border-b-2 border-transparent px-2.5 text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {tab.label}
              <LinkWorking />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
