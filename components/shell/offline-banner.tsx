"use client";

import { useEffect, useSyncExternalStore } from "react";
import { isOnline, tellOffline } from "@/components/ui/online";

function subscribe(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Says on every page that there is no network, and keeps links from leading to the browser's error page meanwhile. */
export function OfflineBanner() {
  const isOffline = useSyncExternalStore(subscribe, () => !isOnline(), () => false);
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      if (isOnline() || !(event.target instanceof Element) || !event.target.closest("a[href]:not([href^='#'])")) return;
      event.preventDefault();
      tellOffline();
    };
    addEventListener("click", stay, { capture: true });
    return () => removeEventListener("click", stay, { capture: true });
  }, []);
  return (
    <div role="status" data-offline={isOffline || undefined} className="print:hidden">
      {isOffline ? (
        <p className="flex min-h-10 items-center border-b border-medium/50 bg-medium-soft px-4 py-2 text-sm tablet:h-10 tablet:px-6 tablet:py-0">
          <span className="min-w-0 tablet:truncate">
            <strong className="font-semibold">You are offline</strong>: nothing is sent, and this page may be out of date. It catches up by itself.
          </span>
        </p>
      ) : null}
    </div>
  );
}
