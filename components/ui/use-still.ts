"use client";

import { useEffect, useState } from "react";

/** Nobody reads and presses sooner; what is pressed sooner was aimed at what stood there before. */
const STILL_MS = 500;

/** Whether what `of` stands for has been on the screen for as long as it takes to see that it came or changed. */
export function useStill(of: string): boolean {
  const [still, setStill] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setStill(of), STILL_MS);
    return () => clearTimeout(timer);
  }, [of]);
  return still === of;
}
