"use client";

import { useSyncExternalStore } from "react";
import type { Needs } from "./needs";

/** What waits for people: calls, and runs outside the inbox. */
export interface LiveCounts {
  waiting: number;
  needs: Needs;
}

/** The last known counts; until an update arrives, those that the page was rendered with. */
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

/** "(7) Audit": the tab shows how many wait, on every page. */
export function titleWith(title: string, count: number): string {
  const own = title.replace(/^\(\d+\+?\) /, "");
  return count === 0 ? own : `(${printWaiting(count)}) ${own}`;
}
