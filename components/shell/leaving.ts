"use client";

import { currentReach } from "@/components/ui/online";
import { showToast } from "@/components/ui/toast";

/** A page that never loads must not keep the keys from working. */
const LEAVING_MAX_MS = 15_000;

/** Where the reader was when another page was asked for. */
let left: { from: string; since: number } | null = null;

/** Another page was requested. Until it has loaded, keys must not act on the one on the screen. */
export function leaveFor(href: string): void {
  const { origin, pathname, search } = new URL(href, location.href);
  const isElsewhere = origin === location.origin && pathname + search !== location.pathname + location.search;
  if (isElsewhere && currentReach() === "reached") left = { from: location.href, since: performance.now() };
}

/** The address changes together with the page. */
export function isLeaving(): boolean {
  return left !== null && left.from === location.href && performance.now() - left.since < LEAVING_MAX_MS;
}

/** Shown instead of applying a press to the page that was left. */
export function showLeaving(): void {
  showToast("Nothing was decided: another page was asked for and is on its way.");
}

/** Listens to every link that is followed here. */
export function followLinks(): () => void {
  const onClick = ({ target, button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (
      link &&
      button === 0 &&
      !(altKey || ctrlKey || metaKey || shiftKey) &&
      link.target === "" &&
      !link.hasAttribute("download")
    )
      leaveFor(link.href);
  };
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}
