"use client";

import { useEffect } from "react";
import { useRefresh } from "@/components/ui/online";

/** Most calls take less than a moment; for a long one it need not ask often. */
const FIRST_MS = 200;
const EVERY_MS = 1_600;

/**
 * On a card whose call is in progress the page asks again until there is a result, even when the live connection is
 * down.
 */
export function RefreshWhileMoving() {
  const refresh = useRefresh();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const askAfter = (ms: number) => {
      timer = setTimeout(() => {
        if (document.visibilityState === "visible") refresh();
        askAfter(Math.min(ms * 2, EVERY_MS));
      }, ms);
    };
    askAfter(FIRST_MS);
    return () => clearTimeout(timer);
  }, [refresh]);
  return null;
}
