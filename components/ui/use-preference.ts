"use client";

import { useState } from "react";

/** A choice that applies at once and is stored by the server. When that failed, it reverts and says why. */
export function usePreference<T>(initial: T, keep: (value: T) => Promise<string | null>) {
  const [value, setValue] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  async function change(next: T) {
    const before = value;
    setValue(next);
    const why = await keep(next).catch(() => "The connection broke.");
    setProblem(why === null ? null : `Not saved. ${why}`);
    if (why !== null) setValue(before);
  }
  return { value, problem, change: (next: T) => void change(next) };
}
