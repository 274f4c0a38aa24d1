"use client";

/** Where the reader is in the queue. A call that was decided leaves it, and the one that took its place comes next. */
let lastPlace = 0;
/** The card that was asked for and is not on the screen yet. */
let awaited: { id: string; since: number } | null = null;

/** A card that never comes must not keep the keys from working. */
const AWAITED_MAX_MS = 5_000;

export function rememberPlace(place: number): void {
  lastPlace = place;
}

export function awaitCard(id: string): void {
  awaited = { id, since: performance.now() };
}

export function arriveAt(id: string | null): void {
  if (awaited?.id === id) awaited = null;
}

/** Until the card that was asked for is there, the one on the screen is not what the reader means. */
export function isCardAwaited(): boolean {
  return awaitedId() !== null;
}

const awaitedId = (): string | null => (awaited !== null && performance.now() - awaited.since < AWAITED_MAX_MS ? awaited.id : null);

/** The row that the reader is at, also while its card is still on its way. */
export function currentRow(): string {
  const wanted = awaitedId();
  return wanted === null ? '[data-row]:has([aria-current="page"])' : `[data-row="${CSS.escape(wanted)}"]`;
}

/** Opens the row below or above the current one. False when there is none. */
export function moveInQueue(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-row] > a")];
  const rowOf = (link: HTMLAnchorElement) => link.parentElement?.dataset.row;
  const wanted = awaitedId();
  const current = links.findIndex((link) => (wanted === null ? link.getAttribute("aria-current") === "page" : rowOf(link) === wanted));
  const place = current === -1 ? lastPlace + (by === 1 ? 0 : -1) : current + by;
  const target = links[place] ?? (current === -1 ? links.at(-1) : undefined);
  if (!target) return false;
  void target.scrollIntoView({ block: "nearest" });
  target.click();
  return true;
}
