"use client";

import { useEffect, useState } from "react";

/** Nobody reads and presses sooner; a sooner press was aimed at what was there before. */
const STILL_MS = 500;

/** Whether what `of` identifies has been on the screen long enough to see that it appeared or changed. */
export function useStill(of: string): boolean {
  const [still, setStill] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setStill(of), STILL_MS);
    return () => clearTimeout(timer);
  }, [of]);
  return still === of;
}
