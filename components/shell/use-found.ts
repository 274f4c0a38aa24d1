"use client";

import { useEffect, useState } from "react";
import type { FoundGroup } from "./palette-items";

const DEBOUNCE_MS = 160;

interface Found {
  /** What the groups were found for. */
  text: string;
  groups: readonly FoundGroup[];
  problem: boolean;
}

/** Asks the server a moment after the last key. While an answer is awaited, the one before stays. */
export function useFound(text: string): Found & { isSearching: boolean } {
  const wanted = text.trim();
  const [found, setFound] = useState<Found>({ text: "", groups: [], problem: false });
  useEffect(() => {
    if (wanted === "") return;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      fetch(`/palette?${new URLSearchParams({ q: wanted })}`, { signal: asking.signal })
        .then(async (answer) => {
          if (!answer.ok) throw new Error(`the palette was answered with ${answer.status}`);
          const { groups } = (await answer.json()) as { groups: FoundGroup[] };
          setFound({ text: wanted, groups, problem: false });
        })
        .catch(() => {
          if (!asking.signal.aborted) setFound({ text: wanted, groups: [], problem: true });
        });
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [wanted]);
  if (wanted === "") return { text: "", groups: [], problem: false, isSearching: false };
  return { ...found, isSearching: found.text !== wanted };
}
