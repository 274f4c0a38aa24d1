"use client";

import { useEffect } from "react";
import { useRefresh } from "@/components/ui/online";
import { rememberZone } from "./zone";

/** On pages that count by day: lets the server know where the reader is, once, and asks it again. */
export function KeepZone({ zone }: { zone: string }) {
  const refresh = useRefresh();
  useEffect(() => {
    if (rememberZone(zone)) refresh();
  }, [zone, refresh]);
  return null;
}
