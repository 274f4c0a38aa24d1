"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { isWithin } from "./destinations";
import { LinkWorking } from "./link-working";

/**
 * Links drawn as tabs. The longest matching address is the current one. Tabs that do not fit scroll, and fade at the
 * edge behind which there are more.
 */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly { href: string; label: string }[] }) {
  const pathname = usePathname();
  const current = tabs
    .filter(({ href }) => isWithin(pathname, href))
    .sort((one, other) => other.href.length - one.href.length)[0]?.href;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const row = list.current;
    if (!row) return;
    const update = () => {
      row.toggleAttribute("data-more-before", row.scrollLeft > 1);
      row.toggleAttribute("data-more-after", row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
    };
    const watcher = new ResizeObserver(update);
    watcher.observe(row);
    row.addEventListener("scroll", update, { passive: true });
    return () => {
      watcher.disconnect();
      row.removeEventListener("scroll", update);
    };
  }, []);
  useEffect(() => {
    // Sideways only: the page itself stays where it is.
    const row = list.current;
    const tab = [...(row?.querySelectorAll("a") ?? [])].find((link) => link.getAttribute("href") === current);
    if (!row || !tab) return;
    const [outer, inner] = [row.getBoundingClientRect(), tab.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right)
      row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [current]);
  return (
    <nav aria-label={label} className="border-b border-line px-1.5 tablet:px-4">
      <ul
        ref={list}
        className="-mb-px flex overflow-x-auto [scrollbar-width:none] data-more-after:mask-r-from-85% data-more-before:mask-l-from-85% tablet:gap-1"
      >
        {tabs.map((tab) => (
          <li key={tab.href} className="shrink-0">
            <Link
              href={tab.href}
              aria-current={tab.href === current ? "page" : undefined}
              className="relative flex h-10 items-center border-b-2 border-transparent px-2.5 text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink max-tablet:h-11 max-tablet:px-1.75 max-tablet:text-[13px]"
            >
              {/* As wide as its bold form, so that the others stay where they are when it becomes the current one. */}
              <span
                data-label={tab.label}
                className="grid after:invisible after:h-0 after:overflow-hidden after:font-medium after:content-[attr(data-label)]"
              >
                {tab.label}
              </span>
              <LinkWorking />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
