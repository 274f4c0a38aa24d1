"use client";

import { useMemo, useSyncExternalStore } from "react";

/** Who else has which card open, as the live line last said. One page has one line, so the list lives in the module. */
export interface Looker {
  approvalId: string;
  userId: string;
  name: string;
}

const nobody: readonly Looker[] = [];
let lookers: readonly Looker[] = nobody;
const listeners = new Set<() => void>();

export function publishLookers(next: readonly Looker[]): void {
  lookers = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** "Ana is looking", "Ana and Ben are looking", "Ana, Ben and 2 more are looking"; null for nobody. */
export function describeLookers(names: readonly string[]): string | null {
  const [one, other, ...more] = names;
  if (one === undefined) return null;
  if (other === undefined) return `${one} is looking`;
  return more.length === 0 ? `${one} and ${other} are looking` : `${one}, ${other} and ${more.length} more are looking`;
}

export function useLookers(approvalId: string): string | null {
  const all = useSyncExternalStore(subscribe, () => lookers, () => nobody);
  return useMemo(() => describeLookers(all.filter((looker) => looker.approvalId === approvalId).map(({ name }) => name)), [all, approvalId]);
}
