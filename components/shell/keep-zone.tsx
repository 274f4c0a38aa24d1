"use client";

import { useEffect } from "react";
import { useRefresh } from "@/components/ui/online";
import { rememberZone } from "./zone";

/** On pages that count by day: sends the reader's time zone to the server once, and refreshes the page. */
export function KeepZone({ zone }: { zone: string }) {
  const refresh = useRefresh();
  useEffect(() => {
    if (rememberZone(zone)) refresh();
  }, [zone, refresh]);
  return null;
}
