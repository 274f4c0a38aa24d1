"use client";

/** Where the reader is in the queue. A call that was decided leaves it, and the one that took its place comes next. */
let lastPlace = 0;

export function rememberPlace(place: number): void {
  lastPlace = place;
}

/** Opens the row below or above the current one. False when there is none. */
export function moveInQueue(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-row] > a")];
  const current = links.findIndex((link) => link.getAttribute("aria-current") === "page");
  const place = current === -1 ? lastPlace + (by === 1 ? 0 : -1) : current + by;
  const target = links[place] ?? (current === -1 ? links.at(-1) : undefined);
  if (!target) return false;
  void target.scrollIntoView({ block: "nearest" });
  target.click();
  return true;
}
