"use client";

import { Search } from "lucide-react";
import { openPalette } from "./palette-host";

/** In the navigation, for those who do not know the key. */
export function PaletteButton({ className, withKey = false }: { className: string; withKey?: boolean }) {
  return (
    <button type="button" onClick={openPalette} className={className}>
      <Search aria-hidden />
      <span className={withKey ? "max-wide:sr-only" : undefined}>Search</span>
      {withKey ? (
        <kbd aria-hidden className="ml-auto text-2xs text-ink-3 max-wide:hidden">
          Ctrl K
        </kbd>
      ) : null}
    </button>
  );
}
