"use client";

import { useEffect } from "react";
import { useRefresh } from "@/components/ui/online";

const EVERY_MS = 1_200;

/** Stands on a card whose call is on its way: the page asks again until there is a result, even when the live line is down. */
export function RefreshWhileMoving() {
  const refresh = useRefresh();
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && refresh(), EVERY_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  return null;
}
