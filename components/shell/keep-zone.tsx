"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { rememberZone } from "./zone";

/** On pages that count by day: lets the server know where the reader is, once, and asks it again. */
export function KeepZone({ zone }: { zone: string }) {
  const router = useRouter();
  useEffect(() => {
    if (rememberZone(zone)) router.refresh();
  }, [zone, router]);
  return null;
}
