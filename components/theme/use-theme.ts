"use client";

import { useState } from "react";
import { applyTheme, type SavePreferences, type Theme } from "./theme";

/** A theme that applies at once. If the account could not store it, it still applies here, and a message says so. */
export function useTheme(initial: Theme, save: SavePreferences) {
  const [theme, setTheme] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  async function choose(next: Theme) {
    setTheme(next);
    applyTheme(next);
    const why = await save({ theme: next }).catch(() => "The connection broke.");
    setProblem(why === null ? null : `It holds in this browser only. ${why}`);
  }
  return { theme, problem, choose: (next: Theme) => void choose(next) };
}
