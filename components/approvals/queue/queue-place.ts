"use client";

import { isLeaving } from "@/components/shell/leaving";

/**
 * Where the reader is in the queue, and what was around it. A call that was decided leaves, and the one that took its
 * place comes next.
 */
let last: { ids: readonly string[]; place: number; search: string } = { ids: [], place: 0, search: "" };
/** The card that was requested and is not on the screen yet. */
let awaited: { id: string; since: number } | null = null;

/** A card that never loads must not keep the keys from working. */
const AWAITED_MAX_MS = 5_000;

export function rememberPlace(place: number): void {
  last = { ids: listRows().map(idOf), place, search: location.search };
}

export function awaitCard(id: string): void {
  awaited = { id, since: performance.now() };
}

export function arriveAt(id: string | null): void {
  if (awaited?.id === id) awaited = null;
  if (id === null && isTurning())
    listRows()
      .at(turning?.end === "first" ? 0 : -1)
      ?.click();
  turning = null;
}

/** Until the requested card has loaded, keys must not act on the one on the screen. */
export function isCardAwaited(): boolean {
  return awaitedId() !== null;
}

/**
 * Whether the reader has requested something other than this card, by a link, a key, the palette or the browser's own
 * buttons.
 */
export function isCardLeft(id: string): boolean {
  return isCardAwaited() || isLeaving() || location.pathname !== `/inbox/${id}`;
}

const awaitedId = (): string | null =>
  awaited !== null && performance.now() - awaited.since < AWAITED_MAX_MS ? awaited.id : null;

/** The row that the reader is at, also while its card is still loading. */
export function currentRow(): string {
  const wanted = awaitedId();
  return wanted === null ? '[data-row]:has([aria-current="page"])' : `[data-row="${CSS.escape(wanted)}"]`;
}

const listRows = () => [...document.querySelectorAll<HTMLAnchorElement>("[data-row] > a")];
const idOf = (link: HTMLAnchorElement): string => link.parentElement?.dataset.row ?? "";

/** Opens the row below or above the current one, on the page before or after if need be. False when there is none. */
export function moveInQueue(by: 1 | -1, open: (address: string) => void): boolean {
  if (isTurning()) return true;
  const links = listRows();
  const wanted = awaitedId();
  const current = links.findIndex((link) =>
    wanted === null ? link.getAttribute("aria-current") === "page" : idOf(link) === wanted,
  );
  const target = current === -1 ? findNear(links, by) : links[current + by];
  if (!target) return turnPage(by, open);
  void target.scrollIntoView({ block: "nearest" });
  target.click();
  return true;
}

/**
 * From a card that is no longer in the queue: the next of its former neighbours that still waits, or what is in its
 * place. Another filter, order or page starts again.
 */
function findNear(links: readonly HTMLAnchorElement[], by: 1 | -1): HTMLAnchorElement | undefined {
  if (last.search !== location.search) return links.at(by === 1 ? 0 : -1);
  const around = by === 1 ? last.ids.slice(last.place + 1) : last.ids.slice(0, last.place).toReversed();
  const near = around.find((id) => links.some((link) => idOf(link) === id));
  return links.find((link) => idOf(link) === near) ?? links[by === 1 ? last.place : last.place - 1] ?? links.at(-1);
}

/** A requested page of the queue, and at which end of it the reader continues. */
let turning: { end: "first" | "last"; since: number } | null = null;
/** The pages that were left downwards, under the filters that they had. */
let above: { filters: string; addresses: string[] } = { filters: "", addresses: [] };

const isTurning = (): boolean => turning !== null && performance.now() - turning.since < AWAITED_MAX_MS;

function turnPage(by: 1 | -1, open: (address: string) => void): boolean {
  const here = new URLSearchParams(location.search);
  const address = `/inbox${location.search}`;
  here.delete("cursor");
  if (above.filters !== here.toString()) above = { filters: here.toString(), addresses: [] };
  const next =
    by === 1
      ? document.querySelector<HTMLAnchorElement>("[data-page=next]")?.getAttribute("href")
      : above.addresses.pop();
  if (!next) return false;
  if (by === 1) above.addresses.push(address);
  turning = { end: by === 1 ? "first" : "last", since: performance.now() };
  open(next);
  return true;
}
