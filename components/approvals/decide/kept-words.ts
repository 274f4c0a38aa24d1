"use client";

import { useCallback, useSyncExternalStore } from "react";

/** Unsent text on a card. Arguments are never part of it: they may hold secrets. */
export interface Words {
  comment: string;
  /** Whether the comment goes along with an approval. */
  hasComment: boolean;
  reason: string;
  note: string;
}

export const NO_WORDS: Words = { comment: "", hasComment: false, reason: "", note: "" };

/**
 * Kept through reloads while the tab is open; never longer than the call waits, and for nobody else who signs in here.
 */
const KEPT_IN = "kimitsu-unsent-words";
const CARDS_MAX = 20;

interface Kept {
  userId: string;
  /** The last written at the end. */
  cards: Readonly<Record<string, Words>>;
}

let kept: Kept | null = null;
/** Cards whose call has ended: their text is shown until the page is left, and no longer stored. */
const over = new Set<string>();
const listeners = new Set<() => void>();

function readAll(userId: string): Kept {
  if (kept?.userId === userId) return kept;
  return (kept = { userId, cards: load(userId) });
}

function load(userId: string): Kept["cards"] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEPT_IN) ?? "null") as Kept | null;
    if (stored?.userId === userId) return stored.cards;
    sessionStorage.removeItem(KEPT_IN);
  } catch {
    // What cannot be read was not written here.
  }
  return {};
}

function store({ userId, cards }: Kept): void {
  const waiting = Object.fromEntries(Object.entries(cards).filter(([card]) => !over.has(card)));
  try {
    if (Object.keys(waiting).length === 0) sessionStorage.removeItem(KEPT_IN);
    else sessionStorage.setItem(KEPT_IN, JSON.stringify({ userId, cards: waiting }));
  } catch {
    // Without storage it is known until the next reload.
  }
}

const isEmpty = (words: Words): boolean =>
  !words.hasComment && words.comment === "" && words.reason === "" && words.note === "";

function write(userId: string, card: string, words: Words): void {
  const others = Object.entries(readAll(userId).cards).filter(([id]) => id !== card);
  kept = {
    userId,
    cards: Object.fromEntries([...others, ...(isEmpty(words) ? [] : [[card, words] as const])].slice(-CARDS_MAX)),
  };
  over.delete(card);
  store(kept);
  for (const listener of listeners) listener();
}

/** On a card whose call has ended the text is still shown, to be copied; a reload does not restore it. */
export function stopKeeping(userId: string, card: string): void {
  over.add(card);
  store(readAll(userId));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useKeptWords(userId: string, card: string): [Words, (change: Partial<Words>) => void] {
  const words = useSyncExternalStore(
    subscribe,
    () => readAll(userId).cards[card] ?? NO_WORDS,
    () => NO_WORDS,
  );
  const keep = useCallback(
    (change: Partial<Words>) => write(userId, card, { ...(readAll(userId).cards[card] ?? NO_WORDS), ...change }),
    [userId, card],
  );
  return [words, keep];
}
