"use client";

import { useSyncExternalStore } from "react";

/** How many calls wait, as this page last heard; until it has heard anything, what it was made with holds. */
let waiting: number | null = null;
const listeners = new Set<() => void>();

export function publishWaiting(count: number): void {
  waiting = count;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useWaiting(made: number): number {
  return useSyncExternalStore(subscribe, () => waiting ?? made, () => made);
}

/** Counts end at a thousand. */
export const printWaiting = (count: number): string => (count >= 1000 ? "999+" : String(count));

/** "(7) Audit": a tab tells how many wait, whatever its page is. */
export function titleWith(title: string, count: number): string {
  const own = title.replace(/^\(\d+\+?\) /, "");
  return count === 0 ? own : `(${printWaiting(count)}) ${own}`;
}
