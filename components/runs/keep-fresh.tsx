"use client";

import { useEffect, useTransition } from "react";
import { useRefresh } from "@/components/ui/online";

/**
 * Refreshes the page while something on it still changes. A hidden tab does not refresh, and catches up when it is
 * visible again. The next request waits for the answer to the one before, so that a slow server is not overloaded.
 */
export function KeepFresh({ everyMs }: { everyMs: number }) {
  const refreshPage = useRefresh();
  const [pending, startTransition] = useTransition();
  useEffect(() => {
    if (pending) return;
    const refresh = () => {
      if (document.visibilityState === "visible") startTransition(refreshPage);
    };
    const timer = setInterval(refresh, everyMs);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [refreshPage, everyMs, pending]);
  return null;
}
