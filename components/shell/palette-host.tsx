"use client";

import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import type { SavePreferences } from "@/components/theme/theme";
import { isComposing } from "@/components/ui/is-composing";
import { showToast } from "@/components/ui/toast";
import { type EarlyText, takeEarlyKey } from "./early-text";

/** Its code comes when it is first asked for. Where it does not come, the page below stays as it is. */
const Palette = lazy(() => import("./palette").catch(() => ({ default: NotLoaded })));

const NOTHING_TYPED: EarlyText = { text: "", isSent: false };

/* A page has one palette and several ways to open it, so whether it is open lives in the module. */
let isOpen = false;
/** What was typed since it was asked for and before it was there. */
let early = NOTHING_TYPED;
const listeners = new Set<() => void>();

function setOpen(next: boolean): void {
  [isOpen, early] = [next, NOTHING_TYPED];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const openPalette = (): void => setOpen(true);
const findEarly = (): EarlyText => early;
const closePalette = (): void => setOpen(false);

interface Props {
  pages: readonly { label: string; href: string }[];
  save: SavePreferences;
}

/** Where the palette stands, and the key that opens it: ⌘K or Ctrl K, wherever one is. */
export function PaletteHost({ pages, save }: Props) {
  const isShown = useSyncExternalStore(subscribe, () => isOpen, () => false);
  useEffect(() => {
    const following = new AbortController();
    document.addEventListener("keydown", openOnKey, { signal: following.signal });
    // On the window, so that no key of the page below hears what is meant for the palette.
    window.addEventListener("keydown", collectEarly, { capture: true, signal: following.signal });
    return () => following.abort();
  }, []);
  return isShown ? (
    <Suspense fallback={null}>
      <Palette pages={pages} save={save} findEarly={findEarly} onClose={closePalette} />
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
  if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || isComposing(event)) return;
  event.preventDefault();
  // Another dialog wants an answer first.
  if (!isOpen && !document.querySelector("dialog[open]")) openPalette();
}

function collectEarly(event: KeyboardEvent): void {
  if (!isOpen || event.ctrlKey || event.metaKey || event.altKey || isComposing(event) || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") setOpen(false);
  else early = takeEarlyKey(early, event.key);
}
