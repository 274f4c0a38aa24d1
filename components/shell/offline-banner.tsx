"use client";

import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { canLeave, currentReach, listenToReach, type Reach } from "@/components/ui/online";

const WORDS: Readonly<Record<Exclude<Reach, "reached">, ReactNode>> = {
  offline: (
    <>
      <strong className="font-semibold">You are offline</strong>: nothing is sent, and this page may be out of date. It
      catches up by itself.
    </>
  ),
  away: (
    <>
      <strong className="font-semibold">Kimitsu cannot be reached</strong>: this page may be out of date. It catches up
      by itself.
    </>
  ),
};

/**
 * Says on every page that the server is unreachable, and keeps links from leading to the browser's error page
 * meanwhile.
 */
export function OfflineBanner() {
  const reach = useSyncExternalStore(listenToReach, currentReach, () => "reached" as const);
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      const link =
        event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]:not([href^='#'])") : null;
      if (!link || link.origin !== location.origin || canLeave()) return;
      event.preventDefault();
    };
    addEventListener("click", stay, { capture: true });
    return () => removeEventListener("click", stay, { capture: true });
  }, []);
  return (
    <div role="status" data-offline={reach !== "reached" || undefined} className="print:hidden">
      {reach === "reached" ? null : (
        <p className="flex min-h-10 items-center border-b border-medium/50 bg-medium-soft px-4 py-2 text-sm tablet:h-10 tablet:px-6 tablet:py-0">
          <span className="min-w-0 tablet:truncate">{WORDS[reach]}</span>
        </p>
      )}
    </div>
  );
}
