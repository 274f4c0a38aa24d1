"use client";

import { useMemo, useSyncExternalStore } from "react";

/** Who else has which card open, by the live connection. One page has one connection, so the list is in the module. */
export interface CardViewer {
  approvalId: string;
  userId: string;
  name: string;
}

const nobody: readonly CardViewer[] = [];
let viewers: readonly CardViewer[] = nobody;
const listeners = new Set<() => void>();

export function publishViewers(next: readonly CardViewer[]): void {
  viewers = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** "Ana is looking", "Ana and Ben are looking", "Ana, Ben and 2 more are looking"; null for nobody. */
export function describeViewers(names: readonly string[]): string | null {
  const [one, other, ...more] = names;
  if (one === undefined) return null;
  if (other === undefined) return `${one} is looking`;
  return more.length === 0 ? `${one} and ${other} are looking` : `${one}, ${other} and ${more.length} more are looking`;
}

export function useViewers(approvalId: string): string | null {
  const all = useSyncExternalStore(
    subscribe,
    () => viewers,
    () => nobody,
  );
  return useMemo(
    () => describeViewers(all.filter((viewer) => viewer.approvalId === approvalId).map(({ name }) => name)),
    [all, approvalId],
  );
}
