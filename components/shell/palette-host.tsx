"use client";

import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import type { SavePreferences } from "@/components/theme/theme";

/** Its code comes when it is first asked for. */
const Palette = lazy(() => import("./palette"));

/* A page has one palette and several ways to open it, so whether it is open lives in the module. */
let isOpen = false;
const listeners = new Set<() => void>();

function setOpen(next: boolean): void {
  isOpen = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const openPalette = (): void => setOpen(true);

interface Props {
  pages: readonly { label: string; href: string }[];
  save: SavePreferences;
}

/** Where the palette stands, and the key that opens it: ⌘K or Ctrl K, wherever one is. */
export function PaletteHost({ pages, save }: Props) {
  const isShown = useSyncExternalStore(subscribe, () => isOpen, () => false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      // Another dialog wants an answer first.
      if (!document.querySelector("dialog[open]")) openPalette();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return isShown ? (
    <Suspense fallback={null}>
      <Palette pages={pages} save={save} onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
