"use client";

import { useRouter } from "next/navigation";
import { useEffect, useTransition } from "react";

/**
 * Asks for the page again while something on it still changes. A hidden tab asks for nothing, and catches up when it is looked at.
 * The next question waits for the answer to the one before, so that a slow server is not asked faster than it can speak.
 */
export function KeepFresh({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  useEffect(() => {
    if (pending) return;
    const refresh = () => {
      if (document.visibilityState === "visible") startTransition(() => router.refresh());
    };
    const timer = setInterval(refresh, everyMs);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [router, everyMs, pending]);
  return null;
}
