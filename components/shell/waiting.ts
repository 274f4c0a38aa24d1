"use client";

import { useSyncExternalStore } from "react";
import type { Needs } from "./needs";

/** What waits for people: calls, and runs outside the inbox. */
export interface LiveCounts {
  waiting: number;
  needs: Needs;
}

/** As this page last heard; until it has heard anything, what it was made with holds. */
let heard: LiveCounts | null = null;
const listeners = new Set<() => void>();

export function publishCounts(counts: LiveCounts): void {
  heard = counts;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useWaiting(made: number): number {
  return useSyncExternalStore(
    subscribe,
    () => heard?.waiting ?? made,
    () => made,
  );
}

export function useNeeds(made: Needs): Needs {
  return useSyncExternalStore(
    subscribe,
    () => heard?.needs ?? made,
    () => made,
  );
}

/** Counts end at a thousand. */
export const printWaiting = (count: number): string => (count >= 1000 ? "999+" : String(count));

/** "(7) Audit": a tab tells how many wait, whatever its page is. */
export function titleWith(title: string, count: number): string {
  const own = title.replace(/^\(\d+\+?\) /, "");
  return count === 0 ? own : `(${printWaiting(count)}) ${own}`;
}
