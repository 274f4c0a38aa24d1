"use client";

import { useSyncExternalStore } from "react";

/** Kept while the tab is open, through reloads. Digests and ids only, nothing of a call's content. */
const KEPT_IN = "kimitsu-seen-cards";
const KEPT_MAX = 500;
const none: ReadonlySet<string> = new Set();
let seen: ReadonlySet<string> | null = null;
const listeners = new Set<() => void>();

function read(): ReadonlySet<string> {
  if (seen !== null) return seen;
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT_IN) ?? "[]");
    return (seen = new Set(Array.isArray(kept) ? kept.map(String) : []));
  } catch {
    return (seen = none);
  }
}

const keyOf = ({ id, digest }: { id: string; digest: string }): string => `${id} ${digest}`;

/** The reader has seen every required part of this card. */
export function rememberSeen(card: { id: string; digest: string }): void {
  if (read().has(keyOf(card))) return;
  seen = new Set([...read(), keyOf(card)].slice(-KEPT_MAX));
  for (const listener of listeners) listener();
  try {
    sessionStorage.setItem(KEPT_IN, JSON.stringify([...seen]));
  } catch {
    // Without storage it is known until the next reload.
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Which cards the reader has seen completely; a batch approves no other that is dangerous or folded. */
export function useWasSeen(): (card: { id: string; digest: string }) => boolean {
  const known = useSyncExternalStore(subscribe, read, () => none);
  return (card) => known.has(keyOf(card));
}
