"use client";

import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import type { SavePreferences } from "@/components/theme/theme";
import { isComposing } from "@/components/ui/is-composing";
import { showToast } from "@/components/ui/toast";
import { type EarlyText, takeEarlyKey } from "./early-text";

/** Its code is loaded when it is first opened. If that fails, the page below stays as it is. */
const Palette = lazy(() => import("./palette").catch(() => ({ default: NotLoaded })));

const NOTHING_TYPED: EarlyText = { text: "", isSent: false };

/* A page has one palette and several ways to open it, so which opening is on the screen lives in the module; 0 is none. */
let shown = 0;
let openings = 0;
/**
 * What was typed between the request and the palette being rendered; null afterwards, because then keys reach it
 * directly.
 */
let early: EarlyText | null = null;
const listeners = new Set<() => void>();

function show(opening: number, typed: EarlyText | null): void {
  [shown, early] = [opening, typed];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const openPalette = (): void => show((openings += 1), NOTHING_TYPED);
const closePalette = (): void => show(0, null);

/**
 * For the palette, at the moment when its field is rendered. A later key, also one right after it closed, belongs to
 * the page.
 */
function takeEarly(): EarlyText {
  const typed = early ?? NOTHING_TYPED;
  early = null;
  return typed;
}

interface Props {
  pages: readonly { label: string; href: string }[];
  save: SavePreferences;
}

/** Where the palette stands, and the key that opens it: ⌘K or Ctrl K, wherever one is. */
export function PaletteHost({ pages, save }: Props) {
  const opening = useSyncExternalStore(
    subscribe,
    () => shown,
    () => 0,
  );
  useEffect(() => {
    const following = new AbortController();
    document.addEventListener("keydown", openOnKey, { signal: following.signal });
    // On the window, so that no key handler of the page below gets what is meant for the palette.
    window.addEventListener("keydown", collectEarly, { capture: true, signal: following.signal });
    return () => following.abort();
  }, []);
  return opening > 0 ? (
    <Suspense fallback={null}>
      <Palette key={opening} pages={pages} save={save} takeEarly={takeEarly} onClose={closePalette} />
    </Suspense>
  ) : null;
}

function NotLoaded({ onClose }: { onClose: () => void }) {
  useEffect(() => {
    showToast("The search could not be loaded. Load the page again when there is a network.");
    onClose();
  }, [onClose]);
  return <></>;
}

function openOnKey(event: KeyboardEvent): void {
  if (
    event.key.toLowerCase() !== "k" ||
    !(event.metaKey || event.ctrlKey) ||
    event.altKey ||
    event.shiftKey ||
    isComposing(event)
  )
    return;
  event.preventDefault();
  // Another dialog must be answered first. A closed one reports that a moment later, and may be opened again before
  // that.
  if (early === null && !document.querySelector("dialog[open]")) openPalette();
}

function collectEarly(event: KeyboardEvent): void {
  if (
    early === null ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isComposing(event) ||
    document.querySelector("dialog[open]")
  )
    return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") closePalette();
  else early = takeEarlyKey(early, event.key);
}
